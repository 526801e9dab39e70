import { describe, expect, it } from "vitest";
import { roleBindingSpecSchema } from "./role-binding.ts";
import { readTime } from "./timestamp.ts";

const group = "a".repeat(40);
const parse = (expiresAt: string) =>
  roleBindingSpecSchema.safeParse({
    groupUid: group,
    identityUid: `${group}/1111111111111111`,
    roleUid: group,
    expiresAt,
  });

describe("a time that a person writes", () => {
  it.each([
    "2027-01-31T00:00:00Z",
    "2027-01-31t00:00:00z",
    "2027-01-31T00:00:00.123456789+01:00",
    "2028-02-29T23:59:59-23:59",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
  ])("may be %s", (text) => {
    expect(parse(text).error).toBeUndefined();
    expect(readTime(text)).toBe(Date.parse(text));
    expect(readTime(text)).not.toBeNaN();
  });

  it.each([
    "2027-01-31T00:00:00,5Z",
    "2027-01-31T00:00:00+24:00",
    "2027-01-31T00:00:00+00:60",
    "2027-01-31T00:00:00ZT",
    "2027-01-31T24:00:00Z",
    "2027-01-31T23:59:60Z",
    "2027-01-31T00:00:00",
    "2027-01-31",
    "2027-02-30T00:00:00Z",
    "2027-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "tomorrow",
  ])("must not be %s", (text) => {
    expect(readTime(text)).toBeUndefined();
    expect(parse(text).error?.issues).toMatchObject([
      { path: ["expiresAt"], message: "must be a time in the format of RFC 3339, such as 2027-01-31T00:00:00Z" },
    ]);
  });

  it("is a day that there is, in every year", () => {
    const lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    const wrong: string[] = [];
    for (let year = 1600; year <= 2000; year += 1)
      for (const [index, length] of lengths.entries())
        for (const day of [1, 28, 29, length, length + 1]) {
          const [y, m, d] = [
            String(year).padStart(4, "0"),
            String(index + 1).padStart(2, "0"),
            String(day).padStart(2, "0"),
          ];
          const text = `${y}-${m}-${d}T00:00:00Z`;
          const date = new Date(0);
          date.setUTCFullYear(year, index, day);
          if ((readTime(text) !== undefined) !== (date.getUTCDate() === day)) wrong.push(text);
        }
    expect(wrong).toEqual([]);
  });
});
