import * as z from "zod";
import { type Group, groupDefinition } from "#src/api/group.ts";
import { externalText, externalUid } from "#src/platform-client/collection.ts";
import { childUids } from "#src/platform-client/uid.ts";
import { byMarker } from "./identification.ts";
import type { Kind } from "./kind.ts";
import { carriedMarker } from "./marker.ts";
import { desiredName } from "./desired-name.ts";
import { parentReference } from "./parent-reference.ts";

const externalGroup = z.object({ uid: externalUid, name: externalText, description: externalText });
export type ExternalGroup = z.output<typeof externalGroup>;

export const groupKind: Kind<Group, ExternalGroup> = {
  name: "Group",
  definition: groupDefinition,
  collection: {
    name: "groups",
    api: "iam/v2beta1",
    schema: externalGroup,
    listCapability: "CAP_IAM_GROUPS_LIST",
    authenticationFields: [],
    uids: childUids,
    issuing: null,
    naturalKeyOf: carriedMarker,
    nameOf: ({ name }) => name,
  },
  noun: "group",
  identification: byMarker,
  refersTo: ["Group"],
  // A root group, which can only be observed, has no parent.
  references: ({ spec }) =>
    spec.parentRef === undefined && spec.parentUid === undefined
      ? []
      : [parentReference("spec.parentRef", spec.parentRef, "spec.parentUid", spec.parentUid)],
  desired: (group) => ({
    ...desiredName(group),
    ...(group.spec.description === undefined ? {} : { description: group.spec.description }),
  }),
  nameOf: (group) => desiredName(group).name,
  actual: ({ name, description }) => ({ name, description }),
  identityOf: () => undefined,
  principal: null,
  bindable: null,
  vouching: null,
  secret: null,
  linking: null,
  specPath: (field) => `spec.${field}`,
};
