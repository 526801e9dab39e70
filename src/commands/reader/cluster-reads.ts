import type { Note } from "#src/commands/output/note.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { isForbidden, isNotFound, KubeError } from "#src/kube/errors.ts";
import { kubeSystemUid, namespaceResource } from "#src/kube/namespaces.ts";
import { listExisting } from "#src/kube/list-all.ts";
import type { KubeObject, ResourceKind } from "#src/kube/object.ts";
import { grantCommands, refusedUser, type Right } from "#src/kube/right.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import { ReadBudget, TooMuchToRead } from "./read-budget.ts";

/** What one read of a cluster found. A failed read, such as a forbidden one, does not show whether there is something. */
export type Reading<T> = { readonly state: "found"; readonly value: T } | { readonly state: "absent" } | Unknown;

/** Why a read failed, and what makes it succeed. */
export interface Unknown {
  readonly state: "unknown";
  readonly because: string;
  readonly fix: Note;
}

/** A cluster that can only be read: objects, and whether somebody has a right. */
export class ClusterReads {
  readonly #kube: Pick<KubeApi, "get" | "create">;
  readonly #lists: Pick<KubeApi, "list">;
  readonly #signal: AbortSignal;

  /** @param budget for all lists together */
  constructor(kube: Pick<KubeApi, "get" | "list" | "create">, signal: AbortSignal, budget = new ReadBudget()) {
    this.#kube = kube;
    this.#lists = budget.cluster(kube);
    this.#signal = signal;
  }

  /** @param alike the names of all objects that are read in the same way: the fix of a refusal permits to read each of them */
  get<T extends KubeObject>(
    resource: ResourceKind,
    namespace: string | undefined,
    name: string,
    alike: readonly string[] = [name],
  ): Promise<Reading<T>> {
    return this.#reading(rightTo("get", resource, namespace, alike), () =>
      this.#kube.get<T>(resource, namespace, name, { signal: this.#signal }),
    );
  }

  /** The uid of the namespace kube-system, which is the owner id unless a setting gives another one; undefined if it has none. */
  kubeSystemUid(): Promise<Reading<string | undefined>> {
    return this.#reading(rightTo("get", namespaceResource, undefined, ["kube-system"]), () =>
      kubeSystemUid(this.#kube, this.#signal),
    );
  }

  /** All objects, page by page; unknown if they do not fit into the memory. @param namespace absent: of all namespaces */
  list<T extends KubeObject>(resource: ResourceKind, namespace?: string): Promise<Reading<readonly T[]>> {
    return this.#reading(rightTo("list", resource, namespace), async () => {
      const found: T[] = [];
      for await (const object of listExisting<T>(this.#lists, resource, this.#signal, namespace)) found.push(object);
      return found;
    });
  }

  /**
   * Whether RBAC permits a request: an access review, which changes nothing although it is a POST.
   * @param user whose request it is; absent: the caller's own. Only administrators may ask about others.
   */
  can(right: Right, user?: string): Promise<Reading<boolean>> {
    const review = user === undefined ? selfReview : othersReview;
    const spec = { resourceAttributes: right, ...(user === undefined ? {} : { user, groups: groupsOf(user) }) };
    return this.#reading(rightTo("create", review), async () => {
      const body = { apiVersion: "authorization.k8s.io/v1", kind: review.kind, metadata: {}, spec };
      const { status } = await this.#kube.create<AccessReview>(review, undefined, body, { signal: this.#signal });
      return status?.allowed === true;
    });
  }

  async #reading<T>(right: Right, read: () => Promise<T>): Promise<Reading<T>> {
    try {
      return { state: "found", value: await read() };
    } catch (error) {
      if (isNotFound(error)) return { state: "absent" };
      if (error instanceof TooMuchToRead) return { state: "unknown", because: error.message, fix: memoryFix };
      if (!(error instanceof KubeError)) throw error;
      const because = oneLine(error.message);
      return { state: "unknown", because, fix: isForbidden(error) ? grantFix(right, because) : connectionFix };
    }
  }
}

const memoryFix: Note = "Ask about one object, with muster why.";
const connectionFix: Note = { text: "Check that the cluster responds to you:", command: "kubectl auth whoami" };

/** How somebody gets a right that they lack. @param refusal what Kubernetes said, which names the user. */
function grantFix(right: Right, refusal: string): Note {
  const { name, resource, verb } = right;
  const role = ["muster", verb, resource, ...(name === undefined || name.includes(",") ? [] : [name])].join("-");
  const command = grantCommands(right, role, refusedUser(refusal) ?? "USER");
  return { text: "Ask an administrator to run:", command };
}

function rightTo(
  verb: string,
  { group, plural: resource }: ResourceKind,
  namespace?: string,
  names: readonly string[] = [],
): Right {
  return {
    verb,
    group,
    resource,
    ...(names.length === 0 ? {} : { name: names.join(",") }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

interface AccessReview extends KubeObject {
  readonly status?: { readonly allowed?: boolean };
}

const accessReview = (plural: string, kind: string): ResourceKind => ({
  group: "authorization.k8s.io",
  version: "v1",
  plural,
  kind,
});
const selfReview = accessReview("selfsubjectaccessreviews", "SelfSubjectAccessReview");
const othersReview = accessReview("subjectaccessreviews", "SubjectAccessReview");

/** The groups of a service account, to which roles may be bound, too. */
function groupsOf(user: string): readonly string[] {
  const [, namespace = ""] = /^system:serviceaccount:([^:]+):/.exec(user) ?? [];
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
}

/** The user name of a service account. */
export function userOf(account: { readonly namespace: string; readonly name: string }): string {
  return `system:serviceaccount:${account.namespace}:${account.name}`;
}
