import { describe, expect, it } from "vitest";
import { resourceDefinitions } from "#src/api/resource.ts";
import { rows } from "./rows.ts";

// The same manifests as for the API server: both judge them alike, as both rules come from one place.
describe.each(resourceDefinitions)("the schema of $kind", ({ kind, specSchema }) => {
  const parse = (spec: unknown) => specSchema.safeParse(asJson(spec));

  it.each(rows[kind].right)("accepts $what", ({ spec }) => {
    expect(parse(spec)).toMatchObject({ success: true });
  });

  it.each(rows[kind].wrong.filter(({ seenBy }) => seenBy !== "API server"))("refuses $what", ({ spec, refused }) => {
    const { error } = parse(spec);
    expect(error).toBeDefined();
    for (const { code, path, message } of error?.issues ?? []) {
      // Other codes are of the structure, for which either side has its own words.
      if (code !== "custom") continue;
      const where = ["spec", ...path].join(".");
      const sentences = [refused].flat().filter((sentence) => sentence.startsWith(`${where}: `));
      expect(sentences.join("\n"), where).toContain(message);
    }
  });
});

function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
