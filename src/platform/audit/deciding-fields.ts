import type { DescMessage } from "@bufbuild/protobuf";
import { IdentitySchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { IdentityProviderSchema } from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";

/**
 * The fields that decide access, by type of resource: of a group, only that it exists. A field stands for itself and all fields in
 * it.
 */
const decidingFields: ReadonlyMap<string, readonly string[]> = new Map([
  ["group", []],
  ["role", ["capabilities"]],
  ["role binding", ["identityUid", "roleUid"]],
  ["identity", choices(IdentitySchema)],
  ["identity provider", ["defaultRole", ...choices(IdentityProviderSchema)]],
  ["group invite", ["roleUid", "expirationTime", "singleUse"]],
]);

/** The fields of which a resource has one: how an identity is assumed, and with what people log in. */
function choices({ oneofs }: DescMessage): readonly string[] {
  return oneofs.flatMap(({ fields }) => fields.map(({ jsonName }) => jsonName));
}

/** Whether access depends on resources of a type, such as `role binding`. */
export function typeDecidesAccess(type: string): boolean {
  return decidingFields.has(type);
}

/** Whether access depends on a field of a resource. @param path as in records: `claimMatch.subject` */
export function fieldDecidesAccess(type: string, path: string): boolean {
  return decidingFields.get(type)?.includes(path.split(".", 1)[0] ?? "") ?? false;
}
