import { describe, expect, it } from "vitest";
import { formOfTag, excludedForms } from "./tag-form.ts";

describe("the form of a tag's name", () => {
  it.each([
    ["latest", 0],
    ["1.27.3", 0],
    ["sha256-0f3a.sig", 1],
    ["sha256", 0],
    ["latest-20260131", 2],
    ["latest-19990131", 0],
    ["latest-202601310", 0],
    ["20260131", 0],
    ["1.27.3-r0", 4],
    ["1.27.3-r12", 4],
    ["1.27.3-rc", 0],
    ["1.27.3-r0-20260131", 2],
    ["sha256-0f3a-20260131", 3],
    ["sha256-0f3a-r1", 5],
  ])("%s has the bits %d", (name, bits) => expect(formOfTag(name)).toBe(bits));

  it("excludes every set of bits that has an excluded form", () => {
    const none = { referrers: false, dates: false, epochs: false };
    expect(excludedForms(none)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(excludedForms({ ...none, referrers: true })).toEqual([2, 3, 4, 5, 6, 7]);
    expect(excludedForms({ referrers: true, dates: true, epochs: false })).toEqual([4, 5, 6, 7]);
    expect(excludedForms({ referrers: true, dates: true, epochs: true })).toEqual([]);
  });
});
