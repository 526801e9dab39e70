import { describe, expect, it } from "vitest";
import { overBoth, overRest } from "./requirement.ts";
import { tableOf } from "./table.ts";

const nothing = async () => {};

describe("the table of requirements and cases", () => {
  it("lists each requirement's cases, or why it is not tested; the contract's sections come first", () => {
    const table = tableOf([
      {
        title: "Masks",
        origin: "decided",
        requirements: [{ id: "masks.a", text: "`GET /x/<uid>` | a < b", cases: [overBoth(nothing)] }],
      },
      {
        title: "4 Endpoints",
        origin: "contract",
        requirements: [
          { id: "4.a", text: "A.", cases: [overBoth("one", nothing), overRest("two", nothing)] },
          { id: "4.b", text: "B.", untested: "a run does not last three days" },
        ],
      },
    ]);
    const rows = table.split("\n").filter((line) => /^(#|\| (?!id ))/.test(line));
    expect(rows).toEqual([
      "# The contract, requirement by requirement",
      "## What the contract says",
      "### 4 Endpoints",
      "| 4.a | A. | one (REST, gRPC); two (REST) |",
      "| 4.b | B. | not tested: a run does not last three days |",
      "## What the contract leaves open, as this project decided it",
      "### Masks",
      "| masks.a | `GET /x/<uid>` \\| a &lt; b | REST, gRPC |",
    ]);
  });
});
