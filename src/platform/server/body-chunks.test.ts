import { expect, it } from "vitest";
import { BodyChunks } from "./body-chunks.ts";

const chunksOf = (...lengths: number[]) => lengths.map((length, index) => Buffer.alloc(length, 97 + (index % 26)));

it.each([
  ["no chunk", []],
  ["one chunk", [10]],
  ["small chunks", [1, 2, 3, 4]],
  ["large chunks", [5_000, 70_000]],
  ["small chunks between large ones", [1, 1, 20_000, 1, 1, 4_096, 4_095]],
  ["more small chunks than fit together", Array.from({ length: 30 }, () => 4_000)],
])("returns the whole body of %s in order", (_, lengths) => {
  const chunks = new BodyChunks();
  const given = chunksOf(...lengths);
  for (const chunk of given) chunks.add(chunk);
  expect(chunks.whole().equals(Buffer.concat(given))).toBe(true);
  expect(chunks.size).toBe(lengths.reduce((sum, length) => sum + length, 0));
});

it("takes little more memory than the body for chunks of one byte", () => {
  const chunks = new BodyChunks();
  let memory = 0;
  for (let count = 0; count < 100_000; count++) {
    const chunk = Buffer.from([count & 255]);
    memory += chunks.memoryFor(chunk);
    chunks.add(chunk);
  }
  expect(memory).toBeLessThan(120_000);
});
