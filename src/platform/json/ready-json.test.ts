import { create, toBinary } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { GroupSchema } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { RoleSchema } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { ReadyJsonCache } from "./ready-json.ts";

const stored = (uid: string, name = "") => toBinary(GroupSchema, create(GroupSchema, { uid, name }));
const oneEntry = new ReadyJsonCache({ bytes: 1_000_000, entryBytes: 1_000_000, lookUps: 10 });
oneEntry.of(GroupSchema, stored("a"));
const entryBytes = oneEntry.bytes;

it("returns the JSON of the bytes that it is given, also if the resource had others before", () => {
  const cache = new ReadyJsonCache({ bytes: 10_000, entryBytes: 10_000, lookUps: 1_000 });
  for (const name of ["old", "new", "old"])
    expect(JSON.parse(cache.of(GroupSchema, stored("a", name)))).toMatchObject({ uid: "a", name });
  expect(JSON.parse(cache.of(GroupSchema, Buffer.from(stored("a", "é€😀"))))).toMatchObject({ name: "é€😀" });
});

it("does not confuse messages of different types with the same bytes", () => {
  const cache = new ReadyJsonCache({ bytes: 10_000, entryBytes: 10_000, lookUps: 1_000 });
  expect(cache.of(GroupSchema, stored("a"))).toContain("resourceLimits");
  expect(cache.of(RoleSchema, stored("a"))).toContain("capabilities");
  expect(cache.of(GroupSchema, stored("a"))).toContain("resourceLimits");
});

it("keeps no more than its bounds, and what it has", () => {
  const cache = new ReadyJsonCache({ bytes: 3 * entryBytes, entryBytes, lookUps: 1_000 });
  for (const uid of ["a", "b", "c", "d", "e"]) cache.of(GroupSchema, stored(uid));
  expect(cache.bytes).toBe(3 * entryBytes);
  const large = new ReadyJsonCache({ bytes: 3 * entryBytes, entryBytes, lookUps: 1_000 });
  large.of(GroupSchema, stored("a", "a longer name"));
  expect(large.bytes).toBe(0);
});

it("gives up what was not looked up for a whole period, and nothing else", () => {
  const cache = new ReadyJsonCache({ bytes: 2 * entryBytes, entryBytes, lookUps: 4 });
  const lookUp = (...uids: string[]) => uids.forEach((uid) => cache.of(GroupSchema, stored(uid)));
  lookUp("a", "b", "a", "a");
  // "b" is not looked up in the second period, so that "c" finds room in the third.
  lookUp("a", "a", "a", "c");
  expect(cache.bytes).toBe(2 * entryBytes);
  lookUp("a");
  expect(cache.bytes).toBe(entryBytes);
  lookUp("c", "a", "c");
  expect(cache.bytes).toBe(2 * entryBytes);
});
