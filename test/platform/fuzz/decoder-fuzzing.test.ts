import { expect, it } from "vitest";
import { fuzzDecoders } from "./decoder-fuzzing.ts";
import { Findings } from "./findings.ts";

it("no decoder fails on 3,000 random inputs", () => {
  const findings = new Findings();
  fuzzDecoders({ seed: 1, rounds: 3_000, timeLimit: 2_000, findings });
  expect([...findings.lines(1)]).toEqual([]);
});
