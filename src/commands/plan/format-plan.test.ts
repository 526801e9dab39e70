import { expect, it } from "vitest";
import { formatPlan, type ShownPlan } from "./format-plan.ts";

const capabilities = (count: number) => Array.from({ length: count }, (_, index) => `CAP_${index}_END`);
const planOf = (count: number): ShownPlan => ({
  changes: [
    {
      action: "update",
      object: { kind: "Role", namespace: "shop", name: "scanner" },
      resource: { noun: "role", uid: "r".repeat(40), name: "scanner" },
      fields: [{ field: "capabilities", from: ["CAP_OLD"], to: capabilities(count) }],
      reason: "the object was edited",
    },
  ],
  refusals: [],
  unproven: [],
});

it.each(["table", "markdown", "json", "yaml"] as const)("prints every capability of a role as %s", async (format) => {
  const text = await formatPlan(planOf(100), format);
  expect(
    capabilities(100).filter((one) => !text.includes(one.replaceAll("_", format === "markdown" ? "\\_" : "_"))),
  ).toEqual([]);
  expect(text).toContain("OLD");
});

it("names at most a hundred items of a list, and says how many more there are", async () => {
  const text = await formatPlan(planOf(150), "table");
  expect(text).toContain("CAP_99_END, and 50 more]");
  expect(await formatPlan(planOf(150), "json")).toContain("CAP_149_END");
});
