import { isDeepStrictEqual } from "node:util";
import type { Status } from "#src/api/status.ts";
import type { Kind, ServiceAccountTokens } from "#src/kinds/kind.ts";
import { withoutMarker } from "#src/kinds/marker.ts";
import type { KubeObject } from "#src/kube/object.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { grantOf } from "#src/platform-client/grant.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { parseResource } from "#src/reconcile/observe/cached-resource.ts";
import { fieldDifferences } from "#src/reconcile/policy/field-differences.ts";
import type { MemoryKube } from "./memory-kube.ts";
import type { MemoryPlatform } from "./memory-platform.ts";

type Fields = ExternalResource & {
  readonly name?: string;
  readonly description?: string;
  readonly capabilities?: readonly string[];
};

const namedKinds = ["Group", "Identity", "Role", "IdentityProvider", "AccountAssociation"];

/** A statement of an object that is Ready, and that is not true. */
export interface FalseStatement {
  readonly text: string;
  /** The resource as it was, if it exists: another one with the same fields was written since. */
  readonly resource: ExternalResource | undefined;
}

/** As the operator of a scenario writes them, if it is not told otherwise. */
export const serviceAccounts: ServiceAccountTokens = { issuer: "https://issuer.example", audience: "auth.example" };

/**
 * What objects that are Ready say, and what is not true on the platform: that the resource with the recorded uid exists, in the
 * recorded group, and with the values that the spec declares. What an object only observed counts, too.
 */
export function falseStatements(
  kube: MemoryKube,
  platform: MemoryPlatform,
  kinds: readonly Kind[],
  tokens: ServiceAccountTokens = serviceAccounts,
): FalseStatement[] {
  return kube.objects().flatMap((object): FalseStatement[] => {
    const kind = kinds.find(({ name }) => name === object.kind);
    const status = object.status as Status | undefined;
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    if (kind === undefined || ready?.status !== "True" || object.metadata.deletionTimestamp !== undefined) return [];
    const { uid, parentUid, identityUid, roleUid } = status ?? {};
    const name = `${object.kind} ${object.metadata.namespace}/${object.metadata.name}`;
    const resource = uid === undefined ? undefined : platform.find(kind.collection.name, uid);
    const statement = (text: string) => [{ text: `${name} is Ready, and ${text}`, resource }];
    if (resource === undefined) return statement(`${uid} does not exist`);
    if (parentUid !== undefined && kind.collection.uids.parentOf(resource.uid) !== parentUid)
      return statement(`its parent is ${parentOf(resource.uid)}, not ${parentUid}`);
    // An edit that was not seen yet.
    if (ready.observedGeneration !== object.metadata.generation) return [];
    const written = findWrittenDifference(object, status, resource);
    if (written !== undefined) return statement(written);
    const { resource: parsed, invalid } = parseResource(kind, object);
    if (invalid !== undefined) return [];
    const uids = {
      ...(parentUid === undefined ? {} : { parent: parentUid }),
      ...(identityUid === undefined ? {} : { identity: identityUid }),
      ...(roleUid === undefined ? {} : { role: roleUid }),
    };
    const desired = kind.desired(parsed, uids, { serviceAccounts: tokens });
    return fieldDifferences(kind, desired, resource).flatMap(({ field, expected, actual }) =>
      statement(`its ${field} is ${actual}, not ${expected}`),
    );
  });
}

/** What differs from the spec as somebody wrote it: without the code that the operator compares with. */
function findWrittenDifference(
  { kind, spec, metadata }: KubeObject & { readonly spec: object },
  status: Status | undefined,
  { name, description = "", capabilities = [], ...external }: Fields,
): string | undefined {
  const written = spec as {
    readonly name?: string;
    readonly description?: string;
    readonly capabilities?: readonly string[];
  };
  const wanted = written.name ?? (status?.management === "Observed" ? undefined : metadata.name);
  if (namedKinds.includes(kind) && wanted !== undefined && name !== wanted) return `its name is ${name}`;
  if (written.description !== undefined && withoutMarker(description) !== written.description)
    return `its description is ${description}`;
  if (written.capabilities !== undefined && !isSameSet(written.capabilities, capabilities))
    return `its capabilities are ${capabilities.join()}`;
  const grant = grantOf(external);
  if (kind === "RoleBinding" && grant?.identity.uid !== status?.identityUid)
    return `its identity is not ${status?.identityUid}`;
  if (status?.roleUid !== undefined && grant !== undefined && grant.role.uid !== status.roleUid)
    return `its role is not ${status.roleUid}`;
  return undefined;
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return isDeepStrictEqual(new Set(a), new Set(b));
}
