import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient } from "./kube-client.ts";

/** The number of requests with the same user, verb, resource, namespace and status code. */
export interface RequestCount {
  /** `admin`, `system:kube-controller-manager`, `system:serviceaccount:NAMESPACE:NAME`, … */
  readonly user: string;
  /**
   * The verb of Kubernetes: get, list, watch, create, update, patch, delete, deletecollection. Server-side apply is a
   * patch.
   */
  readonly verb: string;
  /** `groups.iam.muster.dev`, `namespaces`; empty for a path that is not a resource (`/readyz`). */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly code: number;
  readonly count: number;
}

const writes = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** The sum of the matching counts; `isWrite` is true for verbs that write. */
export function countRequests(
  counts: readonly RequestCount[],
  matches: (count: RequestCount, isWrite: boolean) => boolean,
): number {
  return counts.reduce((sum, row) => (matches(row, writes.has(row.verb)) ? sum + row.count : sum), 0);
}

/** The requests between two readings. */
export function requestsSince(
  before: readonly RequestCount[],
  after: readonly RequestCount[],
): readonly RequestCount[] {
  const earlier = new Map(before.map((row) => [keyOf(row), row.count]));
  return after
    .map((row) => ({ ...row, count: row.count - (earlier.get(keyOf(row)) ?? 0) }))
    .filter((row) => row.count > 0);
}

/**
 * One line for each request, when its response is complete; for a watch, when it starts. The API server's requests to
 * itself are omitted.
 */
const policy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [
    { level: "None", users: ["system:apiserver"] },
    { level: "Metadata", verbs: ["watch"], omitStages: ["RequestReceived", "ResponseComplete"] },
    { level: "Metadata", omitStages: ["RequestReceived", "ResponseStarted"] },
  ],
  omitManagedFields: true,
};

const policyFile = (folder: string) => join(folder, "audit-policy.json");
const logFile = (folder: string) => join(folder, "audit.log");

export async function writeAuditPolicy(folder: string): Promise<void> {
  await writeFile(policyFile(folder), JSON.stringify(policy));
}

export function auditFlags(folder: string): Record<string, string> {
  return {
    "audit-policy-file": policyFile(folder),
    "audit-log-path": logFile(folder),
    // In this mode a line is written before its request completes, and no line is dropped.
    "audit-log-mode": "blocking",
    "audit-log-maxsize": "100000",
  };
}

interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly impersonatedUser?: { readonly username: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly apiGroup?: string;
    readonly subresource?: string;
    readonly namespace?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

/** Reads the API server's audit log as it grows. */
export class AuditLog {
  readonly #path: string;
  readonly #client: KubeClient;
  readonly #rows = new Map<string, RequestCount>();
  #offset = 0;
  #marks = 0;
  #seenMark = 0;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(folder: string, client: KubeClient) {
    this.#path = logFile(folder);
    this.#client = client;
  }

  /** Counts at least the requests whose responses were complete before the call. */
  counts(): Promise<readonly RequestCount[]> {
    const counted = this.#reading.then(() => this.#readToMark());
    this.#reading = counted.catch(() => {});
    return counted;
  }

  async #readToMark(): Promise<readonly RequestCount[]> {
    // Lines are written in the order in which requests complete. When the line of our own request has arrived, so have
    // the lines of all requests that completed before it was sent.
    const mark = ++this.#marks;
    await this.#client.request("GET", `/version?mark=${mark}`);
    for (;;) {
      await this.#readOn();
      if (this.#seenMark >= mark) return [...this.#rows.values()];
      await sleep(10);
    }
  }

  async #readOn(): Promise<void> {
    await using file = await open(this.#path);
    const { size } = await file.stat();
    const buffer = Buffer.alloc(size - this.#offset);
    await file.read(buffer, 0, buffer.length, this.#offset);
    const end = buffer.lastIndexOf("\n") + 1;
    this.#offset += end;
    for (const line of buffer.toString("utf8", 0, end).split("\n")) if (line !== "") this.#count(JSON.parse(line));
  }

  #count(event: AuditEvent): void {
    const mark = /^\/version\?mark=(\d+)$/.exec(event.requestURI)?.[1];
    if (mark !== undefined) {
      this.#seenMark = Number(mark);
      return;
    }
    const { resource = "", apiGroup = "", subresource = "", namespace = "" } = event.objectRef ?? {};
    const row: RequestCount = {
      user: (event.impersonatedUser ?? event.user).username,
      verb: event.verb,
      resource: apiGroup === "" ? resource : `${resource}.${apiGroup}`,
      subresource,
      namespace,
      code: event.responseStatus?.code ?? 0,
      count: 1,
    };
    const existing = this.#rows.get(keyOf(row));
    this.#rows.set(keyOf(row), existing ? { ...existing, count: existing.count + 1 } : row);
  }
}

const keyOf = ({ user, verb, resource, subresource, namespace, code }: RequestCount): string =>
  JSON.stringify([user, verb, resource, subresource, namespace, code]);
