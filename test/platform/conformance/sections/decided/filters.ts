import type { Json } from "../../client/api.ts";
import { equal, rejected } from "../../expect.ts";
import { decidedSection, overBoth, overRest, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";

const uidsOf = async (world: World, collection: "identities" | "roles" | "roleBindings", filter: object) => {
  const rows = await world.list(collection, { uidp: { descendantsOf: world.group }, ...filter });
  return rows.map(({ uid }) => uid);
};

/** Filters of Lists, except `uidp` and the filters of groups. */
export const filters = decidedSection("Filters of identities, roles and role bindings", [
  requirement(
    "filters.identities",
    "identities: `name`, `relationshipType`.",
    overBoth(async (world) => {
      const claimMatch = { issuer: "https://issuer.example.com", subject: "s" };
      const awsIdentity = { awsAccount: "123456789012", arn: "a", userId: "u" };
      const matched = await world.make("identities", world.group, { name: "matched", claimMatch });
      const aws = await world.make("identities", world.group, { name: "aws", awsIdentity });
      const { uid: fixed } = await world.makeAssumable();
      equal(await uidsOf(world, "identities", { name: "matched" }), [matched.uid], "the resources with the name");
      const types = { CLAIM_MATCH: matched.uid, STATIC: fixed, AWS_IDENTITY: aws.uid };
      for (const [type, uid] of Object.entries(types))
        equal(
          await uidsOf(world, "identities", { relationshipType: `RELATIONSHIP_TYPE_${type}` }),
          [uid],
          `the identities of the type ${type}`,
        );
    }),
    overRest("relationshipType, in both spellings, as a name or a number", async (world) => {
      const { uid } = await world.makeAssumable();
      await world.makeIdentity();
      for (const parameter of ["relationshipType", "relationship_type"])
        for (const value of ["RELATIONSHIP_TYPE_STATIC", "2"]) {
          const path = `/iam/v2beta1/identities?uidp.children_of=${world.group}&${parameter}=${value}`;
          const { identities } = JSON.parse((await world.rest.send("GET", path)).text) as { identities: Json[] };
          equal(
            identities.map((identity) => identity.uid),
            [uid],
            `the identities with ${parameter}=${value}`,
          );
        }
      const unknown = await world.rest.list("identities", { relationshipType: "NOPE" });
      rejected(unknown, { code: 3 }, "a List with an unknown type");
    }),
  ),
  requirement(
    "filters.roles",
    "roles: `name`.",
    overBoth(async (world) => {
      const capabilities = ["CAP_REPO_LIST"];
      const { uid } = await world.make("roles", world.group, { name: "wanted", capabilities });
      await world.make("roles", world.group, { name: "wanted-not", capabilities });
      equal(await uidsOf(world, "roles", { name: "wanted" }), [uid], "the resources with the name");
    }),
  ),
  requirement(
    "filters.role-bindings",
    "roleBindings: `identity`, `role`, `group` (uids).",
    overBoth(async (world) => {
      const [first, second] = [await world.makeIdentity(), await world.makeIdentity()];
      const [viewer, editor] = [await world.builtInRole("viewer"), await world.builtInRole("editor")];
      const group = await world.makeGroup();
      const one = await world.bind(world.group, first, viewer);
      const two = await world.bind(world.group, second, editor);
      const three = await world.bind(group, first, editor);
      const found = async (filter: object) => (await uidsOf(world, "roleBindings", filter)).toSorted();
      equal(await found({ identity: first }), [one, three].toSorted(), "the bindings of an identity");
      equal(await found({ role: editor }), [two, three].toSorted(), "the bindings of a role");
      equal(await found({ group: world.group }), [one, two].toSorted(), "the bindings of a group");
      equal(await found({ identity: first, role: editor }), [three], "the bindings of an identity and a role");
    }),
    overBoth("values that are not uids", async ({ api }) => {
      for (const field of ["identity", "role", "group"])
        rejected(await api.list("roleBindings", { [field]: "nonsense" }), { code: 3, field }, `a List with ${field}`);
    }),
  ),
]);
