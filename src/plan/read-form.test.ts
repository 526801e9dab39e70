import { expect, it } from "vitest";
import { readForm } from "./read-form.ts";

it("has what the platform returns of references and of a lifetime", () => {
  const body = { email: "ada@example.com", roleUid: "role", singleUse: true, ttl: "1.5s" };
  expect(readForm(body, { nameOf: () => "viewer", now: 1000 })).toEqual({
    email: "ada@example.com",
    expirationTime: "1970-01-01T00:00:02.500Z",
    role: { uid: "role", name: "viewer" },
    singleUse: true,
  });
});
