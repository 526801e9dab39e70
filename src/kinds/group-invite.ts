import * as z from "zod";
import { type GroupInvite, groupInviteDefinition } from "#src/api/group-invite.ts";
import { externalText, externalUid } from "#src/platform-client/collection.ts";
import { isEqualIgnoringAsciiCase } from "#src/text/ascii-case.ts";
import { childUids } from "#src/platform-client/uid.ts";
import type { Fields } from "./fields.ts";
import { bySecret } from "./identification.ts";
import type { Kind } from "./kind.ts";
import { parentReference } from "./parent-reference.ts";
import type { ResolvedUids } from "./reference-field.ts";
import { roleReference } from "./role-reference.ts";

const groupInvite = z.object({
  uid: externalUid,
  /** Absent if the role does not exist any longer. */
  role: z.object({ uid: externalText, name: externalText }).optional(),
  roleUid: z.string().optional(),
  email: externalText,
  singleUse: z.boolean().default(false),
  expirationTime: externalText,
});

type ExternalGroupInvite = z.output<typeof groupInvite> & { readonly code?: string };

/** The longest code that is kept, in characters. */
const maxCodeLength = 4096;

export const groupInviteKind: Kind<GroupInvite, ExternalGroupInvite> = {
  name: "GroupInvite",
  definition: groupInviteDefinition,
  collection: {
    name: "groupInvites",
    api: "iam/v2beta1",
    schema: groupInvite,
    uids: childUids,
    listCapability: "CAP_IAM_GROUP_INVITES_LIST",
    authenticationFields: [],
    issuing: { schema: groupInvite.extend({ code: z.string().min(1).max(maxCodeLength) }) },
    naturalKeyOf: () => undefined,
    nameOf: () => undefined,
  },
  noun: "group invite",
  identification: bySecret({
    specPath: "spec.secretRef",
    fields: fieldsOf,
    secretNameOf: ({ spec }) => spec.secretRef.name,
    endsWhenUsed: ({ spec }) => spec.singleUse,
    expiringAt: (body, lifetimeMs) => ({ ...body, ttl: `${lifetimeMs / 1000}s` }),
    expirationOf: ({ expirationTime }) => expirationTime,
    codeOf: ({ code = "" }) => code,
  }),
  refersTo: ["Group", "Role"],
  references: ({ spec }) => [
    parentReference("spec.groupRef", spec.groupRef, "spec.groupUid", spec.groupUid),
    roleReference("spec.roleRef", spec.roleRef, "spec.roleUid", spec.roleUid),
  ],
  desired: fieldsOf,
  nameOf: () => undefined,
  actual: (external, { email }) => ({
    roleUid: roleOf(external),
    email: isSameAddress(external.email, email) ? email : external.email,
    singleUse: external.singleUse,
  }),
  identityOf: () => undefined,
  principal: null,
  bindable: null,
  vouching: null,
  secret: null,
  linking: null,
  specPath: (field, { spec }) => {
    if (/^role_?uid$/i.test(field)) return spec.roleUid === undefined ? "spec.roleRef" : "spec.roleUid";
    if (/^single_?use$/i.test(field)) return "spec.singleUse";
    return field === "ttl" ? "spec.expiresAt" : `spec.${field}`;
  },
};

function fieldsOf({ spec: { email = "", singleUse } }: GroupInvite, { role }: ResolvedUids): Fields {
  return { roleUid: role, email, singleUse };
}

/** A platform may store an address in lower case, and compares the addresses of people without regard to case. */
function isSameAddress(actual: string, desired: unknown): boolean {
  return typeof desired === "string" && isEqualIgnoringAsciiCase(actual, desired);
}

function roleOf({ role, roleUid }: ExternalGroupInvite): string {
  return role?.uid ?? roleUid ?? "";
}
