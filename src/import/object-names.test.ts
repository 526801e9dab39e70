import { describe, expect, it } from "vitest";
import { objectName } from "#src/api/reference.ts";
import { ObjectNames } from "./object-names.ts";

describe("the name of an object", () => {
  it.each([
    ["shop", "shop-2d711642b7"],
    ["Payments.Prod_1", "payments-prod-1-2d711642b7"],
    ["...", "group-2d711642b7"],
    ["", "group-2d711642b7"],
    ["../../etc/passwd", "etc-passwd-2d711642b7"],
    ["con", "con-2d711642b7"],
    ["yes", "yes-2d711642b7"],
    ["-a-", "a-2d711642b7"],
    [`${"n".repeat(39)}.m`, `${"n".repeat(39)}-2d711642b7`],
    ["ſtraße", "tra-e-2d711642b7"],
  ])("of %j is %s", (text, name) => {
    expect(new ObjectNames().nameOf(text, "group", "x")).toBe(name);
    expect(objectName.safeParse(name).success).toBe(true);
    expect(name.length).toBeLessThanOrEqual(63);
  });

  it("does not depend on what was named before it", () => {
    const names = new ObjectNames();
    expect(names.nameOf("s.hop", "group", "y")).not.toBe(names.nameOf("s-hop", "group", "x"));
    expect(names.nameOf("shop", "group", "z")).toBe(new ObjectNames().nameOf("shop", "group", "z"));
  });

  it("stays as an earlier import chose it, whatever people call it since", () => {
    const earlier = ["shop-2d711642b7", `${"n".repeat(60)}-2d711642b7`, "../a-2d711642b7", "readme"];
    expect(new ObjectNames(earlier).nameOf("store", "group", "x")).toBe("shop-2d711642b7");
    expect(new ObjectNames(earlier).nameOf("store", "group", "y")).toMatch(/^store-/);
  });

  it("is unique even if the digits collide", () => {
    const names = new ObjectNames();
    expect(names.nameOf("shop", "group", "x")).toBe("shop-2d711642b7");
    expect(names.nameOf("shop", "group", "x")).toBe("shop-2d711642b726");
  });
});
