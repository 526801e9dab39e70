import { describe, expect, it } from "vitest";
import { roleBindingSpecSchema } from "./role-binding.ts";

const group = "a".repeat(40);
const parse = (expiresAt: string) =>
  roleBindingSpecSchema.safeParse({
    groupUid: group,
    identityUid: `${group}/1111111111111111`,
    roleUid: group,
    expiresAt,
  });

// The API server accepts all of these.
describe("a time that a person writes", () => {
  it.each(["2027-01-31T00:00:00Z", "2027-01-31t00:00:00z", "2027-01-31T00:00:00.123456789+01:00"])(
    "may be %s",
    (text) => {
      expect(parse(text).error).toBeUndefined();
    },
  );

  it.each(["2027-01-31T00:00:00,5Z", "2027-01-31T00:00:00+24:00"])("must not be %s", (text) => {
    expect(parse(text).error?.issues).toMatchObject([
      { path: ["expiresAt"], message: "must be a time in the format of RFC 3339, such as 2027-01-31T00:00:00Z" },
    ]);
  });
});
