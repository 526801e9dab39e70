import { expect, it } from "vitest";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { WriteOutages } from "./write-outages.ts";

const session = {} as PlatformSession;
const another = {} as PlatformSession;
const write = (key: string) => ({ kind: "Group", key, resourceUid: `uid of ${key}` });

it("returns the objects whose writes failed after the first success, once", () => {
  const outages = new WriteOutages();
  for (const key of ["a", "b", "c", "a"]) outages.failed(session, write(key));
  expect(outages.succeeded(another)).toEqual([]);
  expect(outages.succeeded(session)).toEqual(["a", "b", "c"].map(write));
  expect(outages.succeeded(session)).toEqual([]);
});

it("returns nothing after failures of one or two objects, or with a success in between", () => {
  const outages = new WriteOutages();
  for (const key of ["a", "a", "a", "b"]) outages.failed(session, write(key));
  expect(outages.succeeded(session)).toEqual([]);
  outages.failed(session, write("c"));
  expect(outages.succeeded(session)).toEqual([]);
});
