import { describe, expect, it } from "vitest";
import { finalizer } from "#src/api/custom-resource.ts";
import { type CheckedObject, GuardedCount, needsOperator, servesObject, uninstallProblem } from "./guarded-objects.ts";

const object = (name: string, fields: object = {}, finalizers: readonly string[] = [finalizer]): CheckedObject => ({
  apiVersion: "iam.muster.dev/v1beta1",
  kind: "Group",
  metadata: { namespace: "shop", name, finalizers },
  ...fields,
});

function counted(objects: readonly CheckedObject[], isServed: (object: CheckedObject) => boolean = () => true) {
  const count = new GuardedCount("groups", isServed);
  for (const one of objects) count.add(one);
  return count.result;
}

describe("the objects that need the operator", () => {
  it("are those with its finalizer, with at most three names", () => {
    const objects = ["a", "b", "c", "d"].map((name) => object(name));
    const others = [object("released", {}, []), object("foreign", {}, ["example.com/other"])];
    const examples = ["shop/a", "shop/b", "shop/c"];
    expect(counted([...others, ...objects])).toEqual({ plural: "groups", count: 4, examples });
  });

  it("are those of its class; an object without a known Tenant belongs to the operator without a class", () => {
    const classes = new Map([
      ["plain", ""],
      ["coloured", "blue"],
    ]);
    const objects = [
      object("plain", { status: { tenant: "plain" } }),
      object("blue", { status: { tenant: "coloured" } }),
      object("new"),
      object("stray", { status: { tenant: "gone" } }),
    ];
    expect(counted(objects, servesObject("", classes)).examples).toEqual(["shop/plain", "shop/new", "shop/stray"]);
    expect(counted(objects, servesObject("blue", classes)).examples).toEqual(["shop/blue"]);
  });

  it("are the Tenants of its class that are being deleted: every Tenant carries the finalizer", () => {
    const deleted = (name: string, fields: object = {}) => {
      const { metadata, ...rest } = object(name, fields);
      return { ...rest, metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    };
    const tenants = [object("live"), deleted("plain"), deleted("blue", { spec: { class: "blue" } })];
    expect(counted(tenants, needsOperator("")).examples).toEqual(["shop/plain"]);
    expect(counted(tenants, needsOperator("blue")).examples).toEqual(["shop/blue"]);
  });
});

describe("the problem", () => {
  it("is none without objects", () => {
    expect(uninstallProblem([{ plural: "groups", count: 0, examples: [] }])).toBeUndefined();
  });

  it("names the objects, and commands that work: objects at once, because a group waits for what is in it, then Tenants", () => {
    const problem = uninstallProblem([
      { plural: "tenants", count: 1, examples: ["shop"] },
      { plural: "groups", count: 4, examples: ["shop/a", "shop/b", "shop/c"] },
      { plural: "identities", count: 0, examples: [] },
      { plural: "rolebindings", count: 1, examples: ["shop/d"] },
    ]);
    expect(problem).toContain("groups.iam.muster.dev: 4 (shop/a, shop/b, shop/c, …)");
    expect(problem).toContain("tenants.iam.muster.dev: 1 (shop)\n");
    expect(problem).not.toContain("identities");
    expect(problem?.match(/kubectl delete .*/g)).toEqual([
      "kubectl delete groups.iam.muster.dev,rolebindings.iam.muster.dev --all --all-namespaces",
      "kubectl delete tenants.iam.muster.dev --all",
    ]);
  });
});
