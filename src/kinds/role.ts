import type * as z from "zod";
import { type Role, roleDefinition } from "#src/api/role.ts";
import { externalText } from "#src/platform-client/collection.ts";
import { roles } from "#src/platform-client/permission-resources.ts";
import { byMarker } from "./identification.ts";
import type { Kind } from "./kind.ts";
import { carriedMarker } from "./marker.ts";
import { desiredName } from "./desired-name.ts";
import { parentReference } from "./parent-reference.ts";

/** A role as the client reads it, and its description, which carries the marker. */
const externalRole = roles.schema.extend({ description: externalText });
export type DescribedRole = z.output<typeof externalRole>;

export const roleKind: Kind<Role, DescribedRole> = {
  name: "Role",
  definition: roleDefinition,
  collection: {
    ...roles,
    schema: externalRole,
    listCapability: "CAP_IAM_ROLES_LIST",
    authenticationFields: [],
    issuing: null,
    naturalKeyOf: carriedMarker,
    nameOf: ({ name }) => name,
  },
  noun: "role",
  identification: byMarker,
  refersTo: ["Group"],
  references: ({ spec }) => [parentReference("spec.groupRef", spec.groupRef, "spec.groupUid", spec.groupUid)],
  desired: (role) => ({
    ...desiredName(role),
    ...(role.spec.description === undefined ? {} : { description: role.spec.description }),
    ...(role.spec.capabilities === undefined ? {} : { capabilities: inOneOrder(role.spec.capabilities) }),
  }),
  nameOf: (role) => desiredName(role).name,
  actual: ({ name, description, capabilities }) => ({ name, description, capabilities: inOneOrder(capabilities) }),
  identityOf: () => undefined,
  principal: null,
  bindable: {
    desiredCapabilities: ({ spec }) => spec.capabilities ?? [],
    capabilities: ({ capabilities }) => capabilities,
  },
  vouching: null,
  secret: null,
  linking: null,
  specPath: (field) => `spec.${field}`,
};

/** A set of capabilities as every equal set is written: neither order nor repetition says anything. */
function inOneOrder(capabilities: readonly string[]): readonly string[] {
  return [...new Set(capabilities)].toSorted();
}
