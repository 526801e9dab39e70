import { expect, it } from "vitest";
import { NamespaceSelection } from "./namespace-selection.ts";

const byTeam = (team: string) => ({ namespaceSelector: { matchLabels: { team } } });

it("selects namespaces by name, also before they are known", () => {
  const selection = new NamespaceSelection();
  expect(selection.tenantsOf("a")).toEqual([]);
  expect(selection.setTenant("shop", { namespaces: ["a"] })).toEqual(["a"]);
  expect(selection.tenantsOf("a")).toEqual(["shop"]);
  expect(selection.tenantsOf("b")).toEqual([]);
});

it("selects namespaces by label, and follows the label", () => {
  const selection = new NamespaceSelection();
  selection.setTenant("shop", byTeam("shop"));
  expect(selection.tenantsOf("a")).toEqual([]);
  expect(selection.setNamespace("a", {})).toBe(false);
  expect(selection.setNamespace("a", { team: "shop" })).toBe(true);
  expect(selection.tenantsOf("a")).toEqual(["shop"]);
  expect(selection.namespacesOf("shop")).toEqual(["a"]);
  expect(selection.setNamespace("a", { team: "bank" })).toBe(true);
  expect(selection.tenantsOf("a")).toEqual([]);
});

it("a Tenant that is narrowed, or gone, selects fewer namespaces", () => {
  const selection = new NamespaceSelection();
  for (const namespace of ["a", "b"]) selection.setNamespace(namespace, {});
  expect(selection.setTenant("shop", { namespaces: ["a", "b"] })).toEqual(["a", "b"]);
  expect(selection.setTenant("shop", { namespaces: ["a"] })).toEqual(["b"]);
  expect(selection.setTenant("shop", undefined)).toEqual(["a"]);
  selection.setNamespace("a", { changed: "" });
  expect(["a", "unknown"].map((namespace) => selection.tenantsOf(namespace))).toEqual([[], []]);
});

it("several Tenants may select one namespace, in the order of their names", () => {
  const selection = new NamespaceSelection();
  selection.setNamespace("a", { team: "shop" });
  selection.setTenant("z", { namespaces: ["a"] });
  expect(selection.setTenant("b", byTeam("shop"))).toEqual(["a"]);
  expect(selection.tenantsOf("a")).toEqual(["b", "z"]);
});

it("a namespace that is deleted loses its labels", () => {
  const selection = new NamespaceSelection();
  selection.setTenant("shop", byTeam("shop"));
  selection.setNamespace("a", { team: "shop" });
  expect(selection.setNamespace("a", undefined)).toBe(true);
  expect(selection.tenantsOf("a")).toEqual([]);
});
