import { describe, expect, expectTypeOf, it } from "vitest";
import type { Resource } from "./custom-resource.ts";
import { type Group, type GroupSpec, groupSpecSchema } from "./group.ts";
import type { Policy } from "./policy.ts";
import type { Reference } from "./reference.ts";
import type { RoleBindingSpec } from "./role-binding.ts";

const root = "0123456789abcdef0123456789abcdef01234567";

describe("Resource", () => {
  it("has the fields that all kinds share", () => {
    expectTypeOf<Group>().toExtend<Resource>();
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
    const policy = { management: "Full", adoption: "Never", drift: "Correct" };
    expect(groupSpecSchema.parse({ parentUid: root })).toEqual({ parentUid: root, undeclared: "Report", policy });
    expect(groupSpecSchema.parse({ parentUid: root, policy: { drift: "Report" } }).policy).toEqual({
      ...policy,
      drift: "Report",
    });
  });
});
