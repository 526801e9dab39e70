import { describe, expect, expectTypeOf, it } from "vitest";
import type { GroupSpec } from "./group.ts";
import type { Policy } from "./policy.ts";
import type { Reference } from "./reference.ts";
import { type Resource, resourceDefinitions } from "./resource.ts";
import type { RoleBindingSpec } from "./role-binding.ts";

const root = "0123456789abcdef0123456789abcdef01234567";

describe("Resource", () => {
  it("is told apart by its kind", () => {
    expectTypeOf<Extract<Resource, { kind: "Group" }>["spec"]>().toEqualTypeOf<GroupSpec>();
    expectTypeOf<Resource["spec"]["policy"]>().toEqualTypeOf<Policy>();
  });

  it("leaves a field out rather than undefined", () => {
    expectTypeOf<GroupSpec["parentRef"]>().toEqualTypeOf<Reference | undefined>();
    // @ts-expect-error: exact optional
    const spec: Pick<GroupSpec, "name"> = { name: undefined };
    expect(spec).toEqual({ name: undefined });
  });

  it("has no description for a role binding", () => {
    expectTypeOf<RoleBindingSpec>().not.toHaveProperty("description");
  });
});

describe("resourceDefinitions", () => {
  it("fills in the policy as the API server does", () => {
    const [group] = resourceDefinitions;
    const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
    expect(group.specSchema.parse({ parentUid: root })).toEqual({ parentUid: root, policy });
    expect(group.specSchema.parse({ parentUid: root, policy: { drift: "Report" } }).policy).toEqual({
      ...policy,
      drift: "Report",
    });
  });
});
