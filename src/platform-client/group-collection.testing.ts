import * as z from "zod";
import { type ManagedCollection, externalText, externalUid } from "./collection.ts";
import { childUids } from "./uid.ts";

const group = z.object({ uid: externalUid, name: externalText, description: externalText });

/** A collection of groups, for tests: the name is also the natural key. */
export const groupCollection: ManagedCollection<z.output<typeof group>> = {
  name: "groups",
  api: "iam/v2beta1",
  schema: group,
  uids: childUids,
  listCapability: "CAP_IAM_GROUPS_LIST",
  authenticationFields: [],
  issuing: null,
  naturalKeyOf: ({ name }) => name,
  nameOf: () => undefined,
};
