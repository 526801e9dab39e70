import { describe, expect, it } from "vitest";
import { type LabelSelector, matchesLabels } from "./label-selector.ts";

const expression = (operator: "In" | "NotIn" | "Exists" | "DoesNotExist", values?: string[]): LabelSelector => ({
  matchExpressions: [{ key: "team", operator, ...(values === undefined ? {} : { values }) }],
});
const shop = { team: "shop" };

describe("a label selector", () => {
  it.each<[string, LabelSelector, Record<string, string>, boolean]>([
    ["an equal label", { matchLabels: { team: "shop" } }, shop, true],
    ["another value", { matchLabels: { team: "shop" } }, { team: "bank" }, false],
    ["a missing label", { matchLabels: { team: "shop" } }, {}, false],
    ["one of two labels", { matchLabels: { team: "shop", tier: "1" } }, shop, false],
    ["In with the value", expression("In", ["bank", "shop"]), shop, true],
    ["In with other values", expression("In", ["bank"]), shop, false],
    ["In without the label", expression("In", ["shop"]), {}, false],
    ["NotIn with the value", expression("NotIn", ["shop"]), shop, false],
    ["NotIn with other values", expression("NotIn", ["bank"]), shop, true],
    ["NotIn without the label", expression("NotIn", ["shop"]), {}, true],
    ["Exists with the label", expression("Exists"), { team: "" }, true],
    ["Exists without the label", expression("Exists"), {}, false],
    ["DoesNotExist with the label", expression("DoesNotExist"), shop, false],
    ["DoesNotExist without the label", expression("DoesNotExist"), {}, true],
    ["In without values", expression("In"), shop, false],
    ["NotIn without values", expression("NotIn", []), shop, false],
    ["Exists with values", expression("Exists", ["shop"]), shop, false],
    ["DoesNotExist with values", expression("DoesNotExist", ["shop"]), {}, false],
    ["labels and expressions together", { matchLabels: shop, ...expression("NotIn", ["shop"]) }, shop, false],
    ["a key that every object inherits", { matchExpressions: [{ key: "constructor", operator: "Exists" }] }, {}, false],
  ])("%s", (_name, selector, labels, matches) => {
    expect(matchesLabels(selector, labels)).toBe(matches);
  });
});
