import { describe, expect, it } from "vitest";
import {
  contractSection,
  coveredBy,
  decidedSection,
  overBoth,
  overRest,
  requirement,
  untested,
} from "./requirement.ts";
import { tableOf } from "./table.ts";

const nothing = async () => {};

describe("the table of requirements and cases", () => {
  it("lists each requirement's cases, where they are, or why it is not tested; the contract's sections come first", () => {
    const table = tableOf([
      decidedSection("Masks", [requirement("masks.a", "`GET /x/<uid>` | a < b", overBoth(nothing))]),
      contractSection("4 Endpoints", [
        requirement("4.a", "A.", overBoth("one", nothing), overRest("two", nothing)),
        untested("4.b", "B.", "a run does not last three days"),
        coveredBy("4.c", "C.", "4.a", "masks.a"),
      ]),
    ]);
    const rows = table.split("\n").filter((line) => /^(#|\| (?!id ))/.test(line));
    expect(rows).toEqual([
      "# The contract, requirement by requirement",
      "## What the contract says",
      "### 4 Endpoints",
      "| 4.a | A. | one (REST, gRPC); two (REST) |",
      "| 4.b | B. | not tested: a run does not last three days |",
      "| 4.c | C. | those of 4.a, masks.a |",
      "## What the contract leaves open, as this project decided it",
      "### Masks",
      "| masks.a | `GET /x/<uid>` \\| a &lt; b | REST, gRPC |",
    ]);
  });
});
