import { closeSync, openSync, writeSync } from "node:fs";
import { readyCondition } from "#src/api/condition.ts";
import type { Resource } from "#src/api/custom-resource.ts";
import { resourceKindOf } from "#src/api/resource-kind.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import { tenantResource } from "#src/commands/operator/tenancy-caches.ts";
import type { ClusterReads } from "#src/commands/reader/cluster-reads.ts";
import type { Link } from "#src/commands/why/link.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { customResourceDefinitions } from "#src/kube/custom-resource-definition.ts";
import { apiGroup } from "#src/api/custom-resource.ts";
import { type CachedTenant, parseTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import { buildInfo } from "#src/telemetry/build-info.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import type { InstalledDefinition } from "./definition-links.ts";

/** The checks whose messages quote no other machine and no setting. */
const ownWords: readonly string[] = ["CRD", "policy", "RBAC", "clock", "capabilities"];

/** More objects that are not Ready are counted and not described. */
const maxObjects = 200;

export interface BundleSources {
  readonly links: readonly Link[];
  /** Undefined if there is no cluster. */
  readonly cluster: ClusterReads | undefined;
  readonly kinds: readonly Kind[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * What a maintainer needs, as JSON. Every field is named here: what an object, an environment or a response has in addition
 * never gets into it. Texts of people and of other machines, such as descriptions, annotations and messages of conditions, are
 * left out, and so are messages of checks that quote them.
 */
export async function bundleText({ cluster, kinds, links, now }: BundleSources): Promise<string> {
  const ofCluster = cluster === undefined ? {} : await clusterPart(cluster, kinds);
  const { arch, platform, versions } = process;
  const bundle = {
    time: new Date(now).toISOString(),
    muster: { version: buildInfo.version, commit: buildInfo.commit },
    node: { version: versions.node, platform, arch },
    checks: links.map((link) => checkPart(link)),
    ...ofCluster,
  };
  return `${JSON.stringify(bundle, undefined, 2)}\n`;
}

/**
 * Writes the bundle to a new file that only this user can read. A file that exists is never replaced, and a symbolic link is
 * not followed.
 * @throws {Error} that names the flag
 */
export function writeBundle(path: string, text: string): void {
  try {
    const file = openSync(path, "wx", 0o600);
    try {
      writeSync(file, text);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === "EEXIST" ? `${path} exists already: name a new file` : `${path} cannot be written: ${message}`;
    throw new Error(`--bundle: ${reason}`, { cause: error });
  }
}

function checkPart({ link, message, reason, since, state, subject }: Link): object {
  return {
    check: link,
    subject: oneLine(subject),
    state,
    ...(reason === undefined ? {} : { reason: word(reason) }),
    ...(since === undefined ? {} : { since: word(since) }),
    // What may not be read says so in the words of the API server.
    ...(ownWords.includes(link) && state !== "unknown" ? { message: oneLine(message) } : {}),
  };
}

async function clusterPart(cluster: ClusterReads, kinds: readonly Kind[]): Promise<object> {
  const definitions = [...kinds.map(({ definition }) => definition), tenantDefinition];
  const [crds, tenants, objects] = await Promise.all([
    Promise.all(definitions.map(({ plural }) => definitionPart(cluster, `${plural}.${apiGroup}`))),
    cluster.list(tenantResource),
    Promise.all(kinds.map((kind) => objectsPart(cluster, kind))),
  ]);
  return {
    crds,
    tenants: tenants.state === "found" ? tenants.value.map((tenant) => tenantPart(parseTenant(tenant))) : tenants.state,
    objects,
  };
}

async function definitionPart(cluster: ClusterReads, name: string): Promise<object> {
  const read = await cluster.get<InstalledDefinition>(customResourceDefinitions, undefined, name);
  if (read.state !== "found") return { name, state: read.state };
  const versions = read.value.spec?.versions ?? [];
  return {
    name,
    versions: versions.map(({ name: version = "", served, storage }) => ({ name: word(version), served, storage })),
  };
}

function tenantPart(tenant: CachedTenant): object {
  const { metadata, spec, status } = tenant;
  return {
    name: metadata.name,
    generation: metadata.generation,
    observedGeneration: status?.observedGeneration,
    deleting: metadata.deletionTimestamp !== undefined,
    class: word(tenant.class),
    credentials: spec?.credentials.type,
    ready: conditionPart(tenant),
    namespaces: status?.namespaces,
    objects: status?.objects?.map(({ kind, notReady, ready }) => ({ kind: word(kind), ready, notReady })),
    orphans: status?.orphans,
    undeclared: status?.undeclared,
    abandoned: status?.abandoned,
    breakers: status?.breakers?.map(({ kind, missing }) => ({ kind: word(kind), missing })),
  };
}

/** The objects of a kind by reason, and those that are not Ready. */
async function objectsPart(cluster: ClusterReads, kind: Kind): Promise<object> {
  const read = await cluster.list<Resource>(resourceKindOf(kind.definition));
  if (read.state !== "found") return { kind: kind.name, state: read.state };
  const resources = read.value;
  const reasons: Record<string, number> = {};
  for (const resource of resources) {
    const reason = word(readyCondition(resource)?.reason ?? "NoStatus");
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  const notReady = resources.filter((resource) => readyCondition(resource)?.status !== "True");
  return { kind: kind.name, reasons, notReady: notReady.slice(0, maxObjects).map(objectPart) };
}

function objectPart(resource: Resource): object {
  const { metadata, status } = resource;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    generation: metadata.generation,
    observedGeneration: status?.observedGeneration,
    deleting: metadata.deletionTimestamp !== undefined,
    hasUid: status?.uid !== undefined,
    management: status?.management === undefined ? undefined : word(status.management),
    ready: conditionPart(resource),
    ...(status?.error === undefined ? {} : { error: { code: word(status.error.code), time: word(status.error.time) } }),
  };
}

function conditionPart(object: Parameters<typeof readyCondition>[0]): object | undefined {
  const ready = readyCondition(object);
  if (ready === undefined) return undefined;
  const { lastTransitionTime, observedGeneration, reason, status } = ready;
  return {
    status: word(status),
    reason: word(reason),
    observedGeneration,
    lastTransitionTime: word(lastTransitionTime),
  };
}

/** A single short word, such as a reason or a time; anything else is left out. */
function word(text: string): string {
  return /^[\w:.-]{0,64}$/.test(text) ? oneLine(text) : "(not shown)";
}
