import { expect, it } from "vitest";
import { fill, Hole, toCel } from "./template.ts";

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
