import { expect, it } from "vitest";
import { connectionsThatFit, openingsAmong, requestMemoryThatFits } from "./memory-shares.ts";

const mebibyte = 1024 * 1024;

it.each([
  [256, 512, 1_024],
  [512, 1_024, 2_048],
  [1_024, 2_048, 4_096],
  [24 * 1_024, 49_152, 98_304],
])("with %i MiB there is room for %i connections with TLS, and %i without", (mebibytes, tls, plain) => {
  const limits = { memory: mebibytes * mebibyte, openFiles: Infinity };
  expect([connectionsThatFit(limits, "tls"), connectionsThatFit(limits, "plain")]).toEqual([tls, plain]);
});

it("connections leave half of the open files to others", () => {
  expect(connectionsThatFit({ memory: 24 * 1024 * mebibyte, openFiles: 1_024 }, "plain")).toBe(512);
});

it("open requests have a quarter of the memory, up to the limit that there is with more", () => {
  expect(
    [128, 512, 4_096].map((mebibytes) => requestMemoryThatFits({ memory: mebibytes * mebibyte }) / mebibyte),
  ).toEqual([32, 128, 128]);
});

it("handshakes leave half of the connections to others", () => {
  expect([5_000, 1_024, 10, 1].map(openingsAmong)).toEqual([1_000, 512, 5, 1]);
});
