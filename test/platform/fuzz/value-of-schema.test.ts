import { expect, it } from "vitest";
import { ApiDocument, type Schema } from "./api-document.ts";
import { mutateJsonText, mutateValue } from "./mutate-json.ts";
import { Random } from "./random.ts";
import { valueOfSchema } from "./value-of-schema.ts";

const thing: Schema = {
  type: "object",
  properties: {
    uid: { type: "string", readOnly: true },
    name: { type: "string", pattern: "^[a-z]{1,}$" },
    color: { type: "string", enum: ["red", "blue"] },
    count: { type: "integer", minimum: 0 },
    isNew: { type: "boolean" },
    labels: { type: "object", additionalProperties: { type: "string" } },
    parts: { type: "array", items: { $ref: "#/components/schemas/Thing" } },
    one: { type: "string" },
    other: { type: "string" },
    madeAt: { type: "string", format: "date-time" },
  },
  additionalProperties: false,
  not: { anyOf: [{ required: ["one", "other"] }] },
};
const document = new ApiDocument({ paths: {}, components: { schemas: { Thing: thing } } });
const created: Schema = { $ref: "#/components/schemas/Thing", required: ["name"] };
const draw = (seed: number) => valueOfSchema(document, created, new Random(seed), { text: () => undefined });

it("drawn values match their schema, with all required and no mutually exclusive properties", () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 300; seed++) {
    const value = draw(seed) as Record<string, unknown>;
    expect(document.violationsOf(created)(value), JSON.stringify(value)).toEqual([]);
    for (const name of Object.keys(value)) seen.add(name);
  }
  expect([...seen].toSorted()).toEqual(Object.keys(thing.properties ?? {}).toSorted());
});

it("the same seed draws the same value", () => {
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
});

it("a third of mutated values or more violate the schema, and no mutation throws", () => {
  let invalid = 0;
  for (let seed = 0; seed < 300; seed++) {
    const random = new Random(seed, "mutation");
    const value = mutateValue(draw(seed), random);
    if (document.violationsOf(created)(value).length > 0) invalid++;
    mutateJsonText(JSON.stringify(value) ?? "", random);
  }
  expect(invalid).toBeGreaterThan(100);
});
