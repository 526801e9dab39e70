import { equal, has, succeeded } from "../../expect.ts";
import { contractSection, overBoth, requirement } from "../../requirement.ts";

const claimMatch = { issuer: "https://issuer.example.com", subject: "a subject" };

/** Section 4.7. */
export const update = contractSection("4.7 Partial update", [
  requirement(
    "4.7.1",
    "Without `updateMask`, only the fields present in the body are changed. Omitted fields keep their values.",
    overBoth("of a group", async (world) => {
      const { uid } = await world.make("groups", world.group, { name: "before", description: "kept" });
      const renamed = succeeded(await world.api.update("groups", uid, { name: "after" }));
      has(renamed, { name: "after", description: "kept" }, "the group with a new name");
      const described = succeeded(await world.api.update("groups", uid, { description: "new" }));
      has(described, { name: "after", description: "new" }, "the group with a new description");
    }),
    overBoth("of an identity", async (world) => {
      const { uid } = await world.make("identities", world.group, { name: "a", description: "kept", claimMatch });
      const changed = succeeded(await world.api.update("identities", uid, { name: "b" }));
      has(changed, { name: "b", description: "kept", claimMatch }, "the identity with a new name");
    }),
  ),
  requirement(
    "4.7.2",
    "With `updateMask=<field>` in the query, only the listed fields change. Other fields in the body are ignored.",
    overBoth("of a group", async (world) => {
      const { uid } = await world.make("groups", world.group, { name: "before", description: "before" });
      const body = { name: "after", description: "after" };
      const described = succeeded(await world.api.update("groups", uid, body, ["description"]));
      has(described, { name: "before", description: "after" }, "the group after an update of its description");
      const renamed = succeeded(await world.api.update("groups", uid, { ...body, description: "other" }, ["name"]));
      has(renamed, { name: "after", description: "after" }, "the group after an update of its name");
      const both = { name: "both", description: "both" };
      has(
        succeeded(await world.api.update("groups", uid, both, ["name", "description"])),
        both,
        "the group after an update of both",
      );
    }),
    overBoth("of an identity", async (world) => {
      const { uid } = await world.make("identities", world.group, { name: "a", description: "kept", claimMatch });
      const body = { name: "b", description: "ignored", claimMatch: { ...claimMatch, subject: "ignored" } };
      const changed = succeeded(await world.api.update("identities", uid, body, ["name"]));
      has(changed, { name: "b", description: "kept", claimMatch }, "the identity after an update of its name");
    }),
  ),
  requirement(
    "4.7.3",
    "The response holds the resource after the update.",
    overBoth(async (world) => {
      const made = await world.make("groups", world.group, { name: "before", description: "kept" });
      const updated = succeeded(await world.api.update("groups", made.uid, { name: "after" }));
      equal(updated, { ...made, name: "after", updateTime: updated.updateTime }, "the response");
      equal(succeeded(await world.api.get("groups", made.uid)), updated, "the group that Get returns");
    }),
  ),
]);
