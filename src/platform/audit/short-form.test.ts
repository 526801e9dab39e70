import { describe, expect, it } from "vitest";
import { merged, shortened } from "./short-form.ts";

describe("shortened", () => {
  it("keeps the new values that decide access, no old ones, and the names of all fields", () => {
    expect(
      shortened("identity", {
        name: { new: "i" },
        description: { old: "d" },
        "claimMatch.issuer": { old: "https://a", new: "https://b" },
        "claimMatch.audience": { old: "c" },
      }),
    ).toEqual({
      name: { omitted: true },
      description: {},
      "claimMatch.issuer": { new: "https://b" },
      "claimMatch.audience": {},
    });
  });

  it("omits values that are too large, one by one and together", () => {
    expect(shortened("role", { capabilities: { new: "x".repeat(1_023) } })).toEqual({
      capabilities: { omitted: true },
    });
    const paths = Array.from({ length: 10 }, (_, index) => `claimMatch.f${index}`);
    const short = shortened("identity", Object.fromEntries(paths.map((path) => [path, { new: "x".repeat(1_000) }])));
    expect(paths.map((path) => short[path]?.omitted ?? false)).toEqual(paths.map((_, index) => index >= 4));
    expect(Buffer.byteLength(JSON.stringify(short))).toBeLessThan(5_000);
  });
});

describe("merged", () => {
  it("has the last change of each field", () => {
    const earlier = { roleUid: { new: "a" }, identityUid: { new: "i" }, note: {} } as const;
    expect(merged(earlier, { roleUid: { new: "b" }, other: { omitted: true } })).toEqual({
      roleUid: { new: "b" },
      identityUid: { new: "i" },
      note: {},
      other: { omitted: true },
    });
  });

  it("has no more bytes than one of them", () => {
    const some = (name: string) =>
      Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`${name}${index}`, { new: "x".repeat(1_000) }]));
    expect(Buffer.byteLength(JSON.stringify(merged(some("a"), some("b"))))).toBeLessThan(5_000);
  });
});
