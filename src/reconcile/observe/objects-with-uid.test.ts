import { expect, it } from "vitest";
import { keyOf } from "#src/kube/object.ts";
import { parent, uid } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { objectsWithUid } from "./objects-with-uid.ts";
import { world } from "./observed-world.testing.ts";
import { group, recorded } from "./references-world.testing.ts";

it("finds the objects that record a uid in the order of their names, whichever was seen first", () => {
  const shop = (name: string, of: string, spec: object = {}) =>
    group(name, { spec, status: recorded(of), metadata: { uid: `uid-of-${name}` } });
  const { stores } = world({ objects: [shop("b", uid), shop("only-claims", parent, { uid }), shop("a", uid)] });
  expect(objectsWithUid(stores.get("Group"), uid).map(keyOf)).toEqual(["team/a", "team/b"]);
});
