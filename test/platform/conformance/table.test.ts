import { describe, expect, it } from "vitest";
import { overBoth, overRest } from "./sentence.ts";
import { tableOf } from "./table.ts";

const nothing = async () => {};

describe("the table of sentences and cases", () => {
  it("tells what tries a sentence, or why nothing does; what the contract says comes first", () => {
    const table = tableOf([
      {
        title: "Masks",
        origin: "decided",
        sentences: [{ id: "masks.a", says: "`GET /x/<uid>` | a < b", cases: [overBoth(nothing)] }],
      },
      {
        title: "4 Endpoints",
        origin: "contract",
        sentences: [
          { id: "4.a", says: "A.", cases: [overBoth("one", nothing), overRest("two", nothing)] },
          { id: "4.b", says: "B.", untried: "nobody waits three days" },
        ],
      },
    ]);
    const rows = table.split("\n").filter((line) => /^(#|\| [^s])/.test(line));
    expect(rows).toEqual([
      "# The contract, sentence by sentence",
      "## What the contract says",
      "### 4 Endpoints",
      "| 4.a | A. | one (REST, gRPC); two (REST) |",
      "| 4.b | B. | not tried: nobody waits three days |",
      "## What the contract leaves open, as this project decided it",
      "### Masks",
      "| masks.a | `GET /x/<uid>` \\| a &lt; b | REST, gRPC |",
    ]);
  });
});
