import { describe, expect, it } from "vitest";
import { checkToken, parseTokenStatus, type TokenStatus } from "./token-status.ts";

const now = Date.parse("2026-01-01T12:00:00Z");
const failure = { since: "2026-01-01T11:50:00.000Z", message: "the token service is not available: ECONNREFUSED" };
const identity = "a".repeat(40);
const valid: TokenStatus = { identity, expiry: "2026-01-01T12:30:00.000Z", renewed: "2026-01-01T11:30:00.000Z" };

describe("checkToken", () => {
  it.each<[string, TokenStatus | undefined, boolean, boolean, string]>([
    [
      "before the first attempt",
      undefined,
      false,
      false,
      "there is no token yet: the agent has not finished its first attempt",
    ],
    [
      "after a failed first attempt",
      { identity, failure },
      false,
      false,
      `there is no token yet; attempts have failed since ${failure.since}: ${failure.message}`,
    ],
    ["with a token", valid, true, true, "the token is valid until 2026-01-01T12:30:00.000Z"],
    ["with a status but without a token", valid, false, false, "there is no token yet"],
    [
      "while renewal fails",
      { ...valid, failure },
      true,
      true,
      `the token is valid until 2026-01-01T12:30:00.000Z; attempts have failed since ${failure.since}: ${failure.message}`,
    ],
    [
      "after the token expired",
      { ...valid, expiry: "2026-01-01T12:00:00.000Z", failure },
      true,
      false,
      `the token expired at 2026-01-01T12:00:00.000Z; attempts have failed since ${failure.since}: ${failure.message}`,
    ],
  ])("%s", (_, status, hasToken, isValid, message) => {
    expect(checkToken(status, hasToken, now)).toEqual({ valid: isValid, message });
  });
});

describe("parseTokenStatus", () => {
  it("reads what was written", () => {
    const status = { ...valid, failure };
    expect(parseTokenStatus(JSON.stringify(status))).toEqual(status);
  });

  it.each(["", "{", "[]", "null", '"x"', '{"expiry":"2026-01-01T00:00:00Z"}'])("rejects %j", (text) => {
    expect(parseTokenStatus(text)).toBeUndefined();
  });

  it("drops fields that are not of their type", () => {
    const text = JSON.stringify({ identity, expiry: "soon", renewed: 7, failure: { since: "2026-01-01", message: 7 } });
    expect(parseTokenStatus(text)).toEqual({ identity });
  });
});
