import { equal, has, holds, isEmptyBody, matches, rejected, succeeded } from "../../expect.ts";
import { contractSection, coveredBy, overBoth, requirement } from "../../requirement.ts";

const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };

/** Sections 2 (Identity) and 4.2. */
export const identities = contractSection("4.2 Identities", [
  requirement(
    "2.identity.name-required",
    "`name` is required on create.",
    overBoth(async ({ api, group }) => {
      const outcome = await api.create("identities", group, { claimMatch });
      rejected(outcome, { code: 3, reason: "INVALID_ARGUMENT", field: "name" }, "creating an identity without a name");
    }),
  ),
  coveredBy("2.identity.description", "`description` is a string.", "4.2.create"),
  coveredBy(
    "2.identity.claim-match",
    "`claimMatch` has `issuer` (URL of the token issuer) and `subject`.",
    "4.2.create",
    "4.2.list-get-update",
  ),
  requirement(
    "2.identity.last-seen-time",
    "`lastSeenTime` is set in the create response.",
    overBoth(async (world) => {
      const made = await world.make("identities", world.group, { name: "a", claimMatch });
      matches(made["lastSeenTime"], /^\d{4}-\d\d-\d\dT/, "lastSeenTime");
    }),
  ),
  requirement(
    "4.2.create",
    "`POST /iam/v2beta1/identities/<group_uid>`: body `name`, `description`, `claimMatch`; returns the identity. The group that owns the identity is in the path.",
    overBoth(async (world) => {
      const made = await world.make("identities", world.group, { name: "a", description: "d", claimMatch });
      has(made, { name: "a", description: "d", claimMatch }, "the created identity");
      holds(made.uid.startsWith(`${world.group}/`), "its uid", `one in ${world.group}`, made.uid);
    }),
  ),
  requirement(
    "4.2.delete",
    "`DELETE /iam/v2beta1/identities/<identity_uid>`: empty body.",
    overBoth(async (world) => {
      const uid = await world.makeIdentity();
      isEmptyBody(succeeded(await world.api.delete("identities", uid), "deleting an identity"));
      rejected(await world.api.get("identities", uid), { code: 5 }, "reading it again");
    }),
  ),
  requirement(
    "4.2.list-get-update",
    "List, Get and Update of identities are offered; their paths follow the groups pattern.",
    overBoth(async (world) => {
      const made = await world.make("identities", world.group, { name: "a", description: "d", claimMatch });
      equal(succeeded(await world.api.get("identities", made.uid)), made, "the identity that Get returns");
      equal(await world.list("identities", { uidp: { childrenOf: world.group } }), [made], "identities");
      const updated = succeeded(await world.api.update("identities", made.uid, { name: "b" }));
      has(updated, { uid: made.uid, name: "b", description: "d", claimMatch }, "the identity after an update");
    }),
  ),
]);
