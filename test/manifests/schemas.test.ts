import { describe, expect, it } from "vitest";
import { customResourceDefinition, type StructuralSchema } from "#src/api/crd.ts";
import { statusSchema } from "#src/api/status.ts";
import { cases, definitions } from "./cases.ts";
import * as status from "./status.ts";

// The same cases as for the API server: the CEL rules and the checks in TypeScript must agree.
describe.each(definitions)("the schema of $kind", ({ kind, specSchema }) => {
  const parse = (spec: unknown) => specSchema.safeParse(asJson(spec));

  it.each(cases[kind].valid)("accepts $what", ({ spec }) => {
    expect(parse(spec)).toMatchObject({ success: true });
  });

  it.each(cases[kind].invalid.filter(({ rejectedBy }) => rejectedBy !== "API server"))(
    "rejects $what",
    ({ spec, errors }) => {
      const { error } = parse(spec);
      expect(error).toBeDefined();
      for (const { code, path, message } of error?.issues ?? []) {
        // Other codes are about the structure; their messages differ from those of the API server.
        if (code !== "custom") continue;
        const where = `spec${path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("")}`;
        const expected = [errors].flat().filter((sentence) => sentence.startsWith(`${where}: `));
        expect(expected.join("\n"), where).toContain(message);
      }
    },
  );
});

describe("the schema of status", () => {
  it.each(status.valid)("accepts $what", ({ status: written }) => {
    expect(statusSchema.safeParse(asJson(written))).toMatchObject({ success: true });
  });

  it.each(definitions)("of $kind limits no text to a list of values except a condition's status", (definition) => {
    const { versions } = customResourceDefinition(definition).spec;
    const schema = versions[0]?.schema.openAPIV3Schema as StructuralSchema;
    expect([...enumerations(schema.properties?.["status"], "status")]).toEqual(["status.conditions[].status"]);
  });
});

function* enumerations(schema: StructuralSchema | undefined, path: string): Generator<string> {
  if (schema?.["enum"] !== undefined) yield path;
  for (const [field, inner] of Object.entries(schema?.properties ?? {})) yield* enumerations(inner, `${path}.${field}`);
  if (schema?.items !== undefined) yield* enumerations(schema.items, `${path}[]`);
}

function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
