import type * as z from "zod";
import type { Fields } from "#src/kinds/kind.ts";

export interface DeclarableFields {
  readonly fields: Fields;
  /** Why fields are missing: path and message of the schema's rule, which never quotes a value. */
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
  const [issue] = schema.safeParse(spec).error?.issues ?? [];
  return issue && `${["spec", ...issue.path].join(".")}: ${issue.message}`;
}
