import { describe, expect, it } from "vitest";
import { bearerOf } from "./bearer.ts";

describe("bearerOf", () => {
  it.each(["Bearer token", "bearer token", "BEARER token", "Bearer  token", "Bearer    token"])(
    "reads %j: one or more spaces are between scheme and token (RFC 9110, 11.4, and RFC 6750, 2.1: 1*SP)",
    (authorization) => expect(bearerOf(authorization)).toBe("token"),
  );

  it.each(["Bearer\ttoken", "Bearer\u00a0token", "Bearertoken", "Basic token", "", undefined, null])(
    "finds no bearer token in %j",
    (authorization) => expect(bearerOf(authorization)).toBeUndefined(),
  );

  it.each(["Bearer \ttoken", "Bearer \u00a0token", "Bearer token\u00a0"])(
    "leaves other white space in %j, with which no token is valid",
    (authorization) => expect(bearerOf(authorization)).toBe(authorization.slice("Bearer ".length)),
  );
});
