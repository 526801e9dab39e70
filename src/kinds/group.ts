import { type Group, groupDefinition } from "#src/api/group.ts";
import type { ExternalGroup } from "#src/platform-client/external-resource.ts";
import type { Kind } from "./kind.ts";
import { parentReference } from "./parent-reference.ts";

export const groupKind: Kind<Group, ExternalGroup> = {
  name: "Group",
  definition: groupDefinition,
  collection: "groups",
  noun: "group",
  hasMarker: true,
  references: ({ spec }) => [parentReference("spec.parentRef", spec.parentRef, "spec.parentUid", spec.parentUid)],
  desired: ({ spec, metadata }) => ({
    name: spec.name ?? metadata.name,
    ...(spec.description === undefined ? {} : { description: spec.description }),
  }),
  actual: ({ name, description }) => ({ name, description }),
  nameOf: (external) => external.name,
  specPath: (field) => `spec.${field}`,
};
