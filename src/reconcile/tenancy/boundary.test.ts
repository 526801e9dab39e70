import { expect, it } from "vitest";
import { tenantSpecSchema } from "#src/api/tenant.ts";
import { boundaryOf, permitsKind } from "./boundary.ts";

const outer = { roots: [], roles: [], namespaces: null };
const boundary = (spec: object) => boundaryOf(tenantSpecSchema.parse({ namespaces: ["team"], ...spec }), outer);

it("absent kinds of a Tenant are the first three, whatever kinds Muster gained since", () => {
  const kinds = ["Group", "Identity", "Role", "RoleBinding", "AKindOfTheFuture"];
  const permitted = (spec: object) => kinds.filter((kind) => permitsKind(boundary(spec), kind));
  expect(permitted({})).toEqual(["Group", "Identity", "RoleBinding"]);
  expect(permitted({ kinds: ["Role", "RoleBinding"] })).toEqual(["Role", "RoleBinding"]);
  expect(permitted({ kinds: [] })).toEqual([]);
});
