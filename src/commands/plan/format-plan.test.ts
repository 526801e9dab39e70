import MarkdownIt from "markdown-it";
import { expect, it } from "vitest";
import { hostileTexts, obeyed } from "#src/commands/output/hostile-texts.testing.ts";
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

const refusalOf = (message: string, name = "web"): ShownPlan => ({
  changes: [],
  refusals: [
    {
      object: { kind: "IdentityProvider", namespace: "shop", name },
      condition: { type: "Ready", status: "False", reason: "TenantDenied", message },
    },
  ],
  unproven: [],
});

it("prints the command of a refusal as code that can be copied, and what leads to it as text", async () => {
  const command = "kubectl annotate secret -n shop web --overwrite 'issuer=https://www.a.example/a_b|c'";
  expect(await formatPlan(refusalOf(`spec: Secret *web* does not name it. Run: ${command}`), "markdown")).toBe(
    `**Plan: 1 refused.**\n\n- Refused: shop/IdentityProvider/web: TenantDenied: spec: Secret \\*web\\* does not name it. Run: \` ${command} \`\n`,
  );
});

it.each(hostileTexts)("shows nothing that means something in a plan: %s", async (_, text) => {
  const [change] = planOf(1).changes;
  const plans: readonly ShownPlan[] = [
    refusalOf(text, text),
    { changes: change === undefined ? [] : [{ ...change, reason: text, object: { ...change.object, name: text } }], refusals: [], unproven: [] }, // biome-ignore format: short
    { changes: [], refusals: [], unproven: [{ capability: text, group: text }] },
  ];
  for (const plan of plans) {
    for (const format of ["table", "json", "yaml"] as const)
      expect(await formatPlan(plan, format), format).not.toMatch(obeyed);
    const html = new MarkdownIt({ html: true }).render(await formatPlan(plan, "markdown"));
    expect(html).not.toMatch(/<(img|script|a|h\d|pre|em|s)\b/);
    expect(html.match(/<td>/g)?.length ?? 0).toBe(plan.changes.length * 6 + plan.unproven.length * 2);
  }
});
