import type { Fields } from "#src/kinds/fields.ts";
import type * as z from "zod";
import { parseWithSchema } from "#src/api/schema-mistake.ts";

export interface DeclarableFields {
  readonly fields: Fields;
  /** Why fields are missing: the path and what is wrong there, which never quotes a value. */
  readonly omitted: readonly string[];
}

/**
 * Those of the fields that the schema of the kind accepts together with `base`: the platform accepts longer texts, for one.
 * @returns the first mistake in `base`, as in `omitted`, if the schema does not even accept that
 */
export function declarableFields(
  schema: z.ZodType,
  base: Fields,
  fields: Fields,
): DeclarableFields | { readonly mistake: string } {
  if (mistakeIn(schema, { ...base, ...fields }) === undefined) return { fields, omitted: [] };
  const mistake = mistakeIn(schema, base);
  if (mistake !== undefined) return { mistake };
  const mistakes = Object.entries(fields).map(
    ([field, value]) => [field, mistakeIn(schema, { ...base, [field]: value })] as const,
  );
  const invalid = new Set(mistakes.flatMap(([field, found]) => (found === undefined ? [] : [field])));
  return {
    fields: Object.fromEntries(Object.entries(fields).filter(([field]) => !invalid.has(field))),
    omitted: mistakes.flatMap(([, found]) => found ?? []),
  };
}

function mistakeIn(schema: z.ZodType, spec: Fields): string | undefined {
  const parsed = parseWithSchema(schema, spec);
  if (!("mistake" in parsed)) return undefined;
  const { message, path } = parsed.mistake;
  return `${["spec", ...path].join(".")}: ${message}`;
}
