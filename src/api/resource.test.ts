import { describe, expect, expectTypeOf, it } from "vitest";
import type { GroupSpec } from "./group.ts";
import type { Policy } from "./policy.ts";
import type { Reference } from "./reference.ts";
import { definitionOf, type Resource } from "./resource.ts";
import type { RoleBindingSpec } from "./role-binding.ts";

const root = "0123456789abcdef0123456789abcdef01234567";

describe("Resource", () => {
  it("is a union discriminated by kind", () => {
    expectTypeOf<Extract<Resource, { kind: "Group" }>["spec"]>().toEqualTypeOf<GroupSpec>();
    expectTypeOf<Resource["spec"]["policy"]>().toEqualTypeOf<Policy>();
  });

  it("has optional fields that are absent, never undefined", () => {
    expectTypeOf<GroupSpec["parentRef"]>().toEqualTypeOf<Reference | undefined>();
    // @ts-expect-error: exact optional
    const spec: Pick<GroupSpec, "name"> = { name: undefined };
    expect(spec).toEqual({ name: undefined });
  });

  it("has no description in the spec of a role binding", () => {
    expectTypeOf<RoleBindingSpec>().not.toHaveProperty("description");
  });
});

describe("the schema of a spec", () => {
  it("sets the same policy defaults as the API server", () => {
    const { specSchema } = definitionOf.Group;
    const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
    expect(specSchema.parse({ parentUid: root })).toEqual({ parentUid: root, policy });
    expect(specSchema.parse({ parentUid: root, policy: { drift: "Report" } }).policy).toEqual({
      ...policy,
      drift: "Report",
    });
  });
});
