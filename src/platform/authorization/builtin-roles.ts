import { createHash } from "node:crypto";
import { allCapabilities, Capability, dottedNameOf } from "./capability.ts";

/** A role that every platform has. It has no parent; every caller can read it and nobody can change it. */
export interface BuiltinRole {
  /** A single segment, the same on every platform. */
  readonly uid: string;
  readonly name: string;
  readonly description: string;
  readonly capabilities: ReadonlySet<Capability>;
}

const endingIn = (suffix: string) => allCapabilities.filter((capability) => dottedNameOf(capability).endsWith(suffix));
const startingWith = (prefix: string) =>
  allCapabilities.filter((capability) => dottedNameOf(capability).startsWith(prefix));

/** Reading the audit log shows who the callers are, so it is for owners. */
const viewer = endingIn(".list").filter((capability) => capability !== Capability.CAP_AUDIT_LIST);
const pull = [Capability.CAP_IAM_GROUPS_LIST, Capability.CAP_REPO_LIST, Capability.CAP_TAG_LIST];

export const builtinRoles: readonly BuiltinRole[] = [
  builtin("viewer", "sees everything", viewer),
  builtin("editor", "sees everything and changes repos", [...viewer, ...startingWith("repo.")]),
  builtin("owner", "has all capabilities", allCapabilities),
  builtin("limited_owner", "sees everything, creates identities and binds the roles that it has itself", [
    ...viewer,
    Capability.CAP_IAM_IDENTITY_CREATE,
    Capability.CAP_IAM_ROLE_BINDINGS_CREATE,
  ]),
  builtin("registry.pull", "reads repos and tags", pull),
  builtin("registry.push", "reads and changes repos and tags", [
    ...pull,
    ...startingWith("repo."),
    ...startingWith("tag."),
  ]),
];

export const ownerRole: BuiltinRole = builtinRoles.find(({ name }) => name === "owner") as BuiltinRole;

const byUid = new Map(builtinRoles.map((role) => [role.uid, role]));

export function builtinRole(uid: string): BuiltinRole | undefined {
  return byUid.get(uid);
}

function builtin(name: string, description: string, capabilities: readonly Capability[]): BuiltinRole {
  const uid = createHash("sha1").update(`muster built-in role ${name}`).digest("hex");
  return { uid, name, description, capabilities: new Set(capabilities) };
}
