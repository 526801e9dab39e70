import { parentOf } from "#src/platform/contract/uid.ts";
import type { KnownRole } from "./access-state.ts";

/** A change that an identity has made, as the audit log of the platform records it. */
export interface RecordedChange {
  /** What was done, such as `create`. */
  readonly action: string;
  /** The type of the resource, such as `role binding`. */
  readonly resourceType: string;
  /** The uid of the resource. */
  readonly resource: string;
  /** The fields before and after, by their paths in JSON. */
  readonly changes: Readonly<Record<string, { readonly old?: unknown; readonly new?: unknown }>>;
}

/** Capabilities that a change needed, by the names of the contract, and where. */
export interface Use {
  /** The uid on which; undefined if they may have been needed in every group. */
  readonly at: string | undefined;
  readonly capabilities: ReadonlySet<string>;
}

/** The names of the capabilities to change each type of resource begin with these. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ["group", "CAP_IAM_GROUPS"],
  ["group invite", "CAP_IAM_GROUP_INVITES"],
  ["role", "CAP_IAM_ROLES"],
  ["role binding", "CAP_IAM_ROLE_BINDINGS"],
  ["account association", "CAP_IAM_ACCOUNT_ASSOCIATIONS"],
  ["identity", "CAP_IAM_IDENTITY"],
  ["identity provider", "CAP_IAM_IDENTITY_PROVIDERS"],
  ["repo", "CAP_REPO"],
  ["tag", "CAP_TAG"],
]);

const verbs: ReadonlyMap<string, string> = new Map([
  ["create", "CREATE"],
  ["update", "UPDATE"],
  ["delete", "DELETE"],
  ["revokeTokens", "UPDATE"],
]);

/** The resources that grant a role, which the caller must have itself, by the field that names it. */
const grantedRoles: ReadonlyMap<string, string> = new Map([
  ["role binding", "roleUid"],
  ["group invite", "roleUid"],
  ["identity provider", "defaultRole"],
]);

/** The fields of an identity that say who can assume it. */
const assumptionFields: ReadonlySet<string> = new Set(["claimMatch", "staticKeys", "awsIdentity"]);

/** The capabilities of which each use leaves a record. All others are reads, as far as anybody knows. */
export const recordedWrites: ReadonlySet<string> = new Set(
  [...prefixes.values()]
    .flatMap((prefix) => [...verbs.values()].map((verb) => `${prefix}_${verb}`))
    // An invite is changed by who can create one.
    .filter((capability) => capability !== "CAP_IAM_GROUP_INVITES_UPDATE"),
);

/**
 * Which capabilities a change needed, and where. A change that grants a role needed all capabilities of that role, because
 * nobody can grant what they do not have. Likewise a change of who can assume an identity needed all that the identity has,
 * wherever it has it. It never names too few: what the record does not say is everything, or anywhere.
 */
export function usesOf(change: RecordedChange, roles: ReadonlyMap<string, KnownRole>): Use | undefined {
  const { action, resource, resourceType } = change;
  const [prefix, verb] = [prefixes.get(resourceType), verbs.get(action)];
  if (prefix === undefined || verb === undefined) return undefined;
  if (changesAssumption(change)) return { at: undefined, capabilities: recordedWrites };
  // A group is created in its parent, and another resource is in a group anyway.
  const at = resourceType === "group" && action === "create" ? parentOf(resource) : resource;
  if (at === undefined) return undefined;
  const own = resourceType === "group invite" && verb === "UPDATE" ? "CREATE" : verb;
  const granted = verb === "DELETE" ? [] : grantedBy(change, roles);
  return { at, capabilities: new Set([`${prefix}_${own}`, ...granted]) };
}

/** What a new identity has is nothing yet, so that its creation needs no more. */
function changesAssumption({ action, changes, resourceType }: RecordedChange): boolean {
  if (resourceType !== "identity" || action !== "update") return false;
  return Object.keys(changes).some((path) => assumptionFields.has(path.split(".", 1)[0] ?? ""));
}

function grantedBy({ changes, resourceType }: RecordedChange, roles: ReadonlyMap<string, KnownRole>): Iterable<string> {
  if (resourceType === "role") return textsOf(changes["capabilities"]?.new).filter((name) => recordedWrites.has(name));
  const field = grantedRoles.get(resourceType);
  if (field === undefined) return [];
  const role = changes[field]?.new;
  const capabilities = typeof role === "string" ? roles.get(role)?.capabilities : undefined;
  const needed = resourceType === "role binding" ? [] : ["CAP_IAM_ROLE_BINDINGS_CREATE"];
  return [...needed, ...(capabilities ?? recordedWrites)];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
