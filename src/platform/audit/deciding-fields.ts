/**
 * The fields that decide access, by type of resource: of a group, only that it exists. A field stands for itself and all fields in
 * it.
 */
const decidingFields: ReadonlyMap<string, readonly string[]> = new Map([
  ["group", []],
  ["role", ["capabilities"]],
  ["role binding", ["identityUid", "roleUid"]],
  ["identity", ["claimMatch", "staticKeys", "awsIdentity"]],
  ["identity provider", ["defaultRole", "oidc"]],
  ["group invite", ["roleUid", "expirationTime", "singleUse"]],
]);

/** Whether access depends on resources of a type, such as `role binding`. */
export function typeDecidesAccess(type: string): boolean {
  return decidingFields.has(type);
}

/** Whether access depends on a field of a resource. @param path as in records: `claimMatch.subject` */
export function fieldDecidesAccess(type: string, path: string): boolean {
  return decidingFields.get(type)?.includes(path.split(".", 1)[0] ?? "") ?? false;
}
