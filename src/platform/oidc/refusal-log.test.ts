import pino from "pino";
import { expect, it } from "vitest";
import { RefusalLog } from "./refusal-log.ts";

const token = { issuer: "https://issuer.example.com", subject: "someone", audiences: ["a"] };

function recorder() {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  let now = 1_000_000;
  const refusals = new RefusalLog(pino({ base: null, timestamp: false }, { write }), () => now);
  return {
    refusals,
    lines,
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

it("says which identity and which claims, and why", () => {
  const { refusals, lines } = recorder();
  refusals.record({ identity: "r/1", reason: "the subject does not match", token });
  expect(lines).toEqual([
    { level: 40, identity: "r/1", reason: "the subject does not match", ...token, msg: "token exchange refused" },
  ]);
});

it("logs an identity and a reason once a minute, and then how many were left out", () => {
  const { refusals, lines, advance } = recorder();
  for (let i = 0; i < 5; i++) refusals.record({ identity: "r/1", reason: "a", token });
  refusals.record({ identity: "r/1", reason: "b", token });
  advance(60_000);
  refusals.record({ identity: "r/1", reason: "a", token });
  expect(lines.map(({ reason, omitted }) => [reason, omitted])).toEqual([
    ["a", undefined],
    ["b", 4],
    ["a", undefined],
  ]);
});

it("is bounded, whatever callers send", () => {
  const { refusals, lines } = recorder();
  const long = {
    issuer: "i".repeat(5_000),
    subject: "\ud83d\ude00".repeat(3_000),
    audiences: Array(999).fill("a".repeat(999)),
  };
  for (let i = 0; i < 1_000; i++) refusals.record({ identity: `r/${i}`, reason: "a", token: long });
  expect(lines).toHaveLength(100);
  expect(Math.max(...lines.map((line) => JSON.stringify(line).length))).toBeLessThan(6_000);
});
