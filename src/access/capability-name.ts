import { dottedName } from "#src/platform/authorization/dotted-name.ts";

/**
 * The capability that a text means, as the contract writes it. `CAP_REPO_CREATE`, `REPO_CREATE` and `repo.create` are the same;
 * so are `CAP_IAM_GROUPS_LIST` and `groups.list`.
 * @param known the capabilities of the platform's roles
 */
export function findCapability(text: string, known: Iterable<string>): string | undefined {
  const all = [...known];
  return (
    all.find((capability) => capability === text) ??
    all.find((capability) => dottedCapability(capability) === text.toLowerCase()) ??
    all.find((capability) => capability === `CAP_${text.toUpperCase().replace(/^CAP_/, "")}`)
  );
}

/** The name by which people know a capability: `CAP_IAM_GROUPS_LIST` is `groups.list`. A number stays what it is. */
export function dottedCapability(capability: string): string {
  return capability.startsWith("CAP_") ? dottedName(capability) : capability;
}
