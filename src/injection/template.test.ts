import { expect, it } from "vitest";
import { fill, Hole, IfSet, ItemsOf, Optional, toCel } from "./template.ts";

const template = {
  name: "agent",
  image: new Hole("image"),
  ports: [{ containerPort: 80, open: true }],
  args: ["a", new Hole("image")],
};

it("becomes an object with values", () => {
  expect(fill(template, { image: "muster:1" })).toEqual({
    name: "agent",
    image: "muster:1",
    ports: [{ containerPort: 80, open: true }],
    args: ["a", "muster:1"],
  });
});

it("becomes an expression in which every object has its type", () => {
  const expression = toCel(template, "Object.spec.containers", { image: "variables.image" });
  expect(expression.replaceAll(/\s+/g, " ")).toBe(
    'Object.spec.containers{ name: "agent", image: variables.image, ports: [Object.spec.containers.ports{containerPort: 80, open: true}], args: ["a", variables.image] }',
  );
  expect(toCel([{ name: "a" }], undefined, { a: "" })).toBe('[{"name": "a"}]');
});

it("has items that exist only if a text is set, and the items of another list", () => {
  const list = ["a", new IfSet("text", [new Hole("text"), "b"]), new ItemsOf("more")] as const;
  expect(fill(list, { text: "t", more: ["c"] })).toEqual(["a", "t", "b", "c"]);
  expect(fill(list, { text: "", more: [] })).toEqual(["a"]);
  expect(toCel(list, undefined, { text: "text", more: "more" })).toBe(
    '[["a"], (text == "" ? [] : [text, "b"]), more].flatten()',
  );
});

it("has fields that exist only if there is a value", () => {
  const context = { user: new Optional("user"), root: false };
  expect(fill(context, { user: 7 })).toEqual({ user: 7, root: false });
  expect(Object.keys(fill(context, { user: undefined }) as object)).toEqual(["root"]);
  expect(toCel(context, "Object.spec", { user: "variables.user" })).toBe(
    "Object.spec{?user: variables.user, root: false}",
  );
});
