import * as z from "zod";
import { externalText, externalUid, type ResourceType } from "./collection.ts";
import { childUids } from "./uid.ts";

// The resource types that the client itself reads: to know the permissions of its identity, and to prove an absence.

const api = "iam/v2beta1";
const named = z.object({ uid: z.string(), name: externalText });
const roleBinding = z.object({ uid: externalUid, identity: named, role: named });
const role = z.object({ uid: externalUid, name: externalText, capabilities: z.array(z.string()).default([]) });

export type ExternalRoleBinding = z.output<typeof roleBinding>;
export type ExternalRole = z.output<typeof role>;

/** Only the uid is read: a group that can be read exists. */
export const groups = {
  name: "groups",
  api,
  schema: z.object({ uid: externalUid }),
  uids: childUids,
} satisfies ResourceType;
/** The collection of identities, by name: who manages them reads them as a whole. */
export const identities = "identities";
export const roleBindings = { name: "roleBindings", api, schema: roleBinding, uids: childUids } satisfies ResourceType;
export const roles = { name: "roles", api, schema: role, uids: childUids } satisfies ResourceType;
