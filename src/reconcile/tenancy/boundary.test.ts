import { describe, expect, it } from "vitest";
import { tenantSpecSchema } from "#src/api/tenant.ts";
import { boundaryOf, commonGroups, outermostGroups, permitsKind, permitsParent, permitsResource } from "./boundary.ts";

const outer = { roots: [], roles: [], namespaces: null };
const boundary = (spec: object) => boundaryOf(tenantSpecSchema.parse({ namespaces: ["team"], ...spec }), outer);

it("absent kinds of a Tenant are the first three, whatever kinds Muster gained since", () => {
  const kinds = ["Group", "Identity", "Role", "RoleBinding", "AKindOfTheFuture"];
  const permitted = (spec: object) => kinds.filter((kind) => permitsKind(boundary(spec), kind));
  expect(permitted({})).toEqual(["Group", "Identity", "RoleBinding"]);
  expect(permitted({ kinds: ["Role", "RoleBinding"] })).toEqual(["Role", "RoleBinding"]);
  expect(permitted({ kinds: [] })).toEqual([]);
});

describe("a Tenant with two groups", () => {
  const [one, two, elsewhere] = ["a", "b", "c"].map((letter) => letter.repeat(40));
  const both = { ...boundary({}), groups: [`${one}`, `${two}`] };
  const [inOne, inTwo] = [`${one}/1111111111111111`, `${two}/1111111111111111`];

  it("permits what is in either of them", () => {
    expect([`${one}`, `${two}`, inOne, inTwo, `${elsewhere}`].map((group) => permitsParent(both, group))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it("permits resources below either of them, and not the groups themselves", () => {
    expect([inOne, inTwo, `${one}`, `${two}`, `${elsewhere}`].map((uid) => permitsResource(both, uid))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it("is narrowed to what both it and the settings name", () => {
    expect(commonGroups([`${one}`, `${two}`], [inOne, `${two}`])).toEqual([inOne, two]);
    expect(commonGroups([inOne, inOne], [`${one}`])).toEqual([inOne]);
    expect(commonGroups([`${one}`], [`${two}`])).toEqual([]);
    expect(outermostGroups([inOne, `${one}`, `${two}`, `${two}`])).toEqual([one, two]);
  });
});
