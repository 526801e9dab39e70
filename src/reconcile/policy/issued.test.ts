import { expect, it } from "vitest";
import { groupInviteKind } from "#src/kinds/group-invite.ts";
import { groupKind } from "#src/kinds/group.ts";
import { minutes } from "#src/time/durations.ts";
import { externalGroup, uid } from "./observed-fixture.testing.ts";
import { hasSurelyExpired } from "./issued.ts";

const expiration = "2026-01-01T00:00:00Z";
const invite = (expirationTime: string) => groupInviteKind.collection.schema.parse({ uid, expirationTime });

it.each([
  ["before", Date.parse(expiration) - 1, false],
  ["after, as far as a clock tells that may be fast", Date.parse(expiration) + minutes(5) - 1, false],
  ["after, whichever clock is right", Date.parse(expiration) + minutes(5), true],
])("what expires has surely expired: %s", (_, wallClock, expected) => {
  expect(hasSurelyExpired(groupInviteKind, invite(expiration), wallClock)).toBe(expected);
});

it("what does not say when it expires, or never expires, has not", () => {
  expect(hasSurelyExpired(groupInviteKind, invite(""), Number.MAX_SAFE_INTEGER)).toBe(false);
  expect(hasSurelyExpired(groupKind, externalGroup(), Number.MAX_SAFE_INTEGER)).toBe(false);
});
