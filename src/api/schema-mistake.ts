import type * as z from "zod";

/** The first mistake that a schema finds in a value. */
export interface SchemaMistake {
  /** Where it is, such as `["staticKeys", "audiences", 0]`. */
  readonly path: readonly PropertyKey[];
  /** What is wrong, such as `must have at most 64 items`; it quotes no part of the value. */
  readonly message: string;
}

/**
 * Parses a value. Unlike the validator's own, the words of a mistake are meant for whoever wrote the value: those of the rules
 * of the schema, or a sentence without its subject, which is the field.
 */
export function parseWithSchema<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { readonly value: z.output<Schema> } | { readonly mistake: SchemaMistake } {
  const { data, error, success } = schema.safeParse(value, { error: inWords });
  if (success) return { value: data };
  const [issue] = error.issues;
  return { mistake: { path: issue?.path ?? [], message: issue?.message ?? "is not valid" } };
}

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

/** What is wrong where the schema has no words of its own for it. */
function inWords(issue: RawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${nounOf(issue.expected)}`;
    case "too_big":
      return boundOf("at most", issue.origin, Number(issue.maximum));
    case "too_small":
      return Number(issue.minimum) === 1 && (issue.origin === "string" || issue.origin === "array")
        ? "must not be empty"
        : boundOf("at least", issue.origin, Number(issue.minimum));
    case "invalid_value":
      return `must be ${issue.values.map(String).join(" or ")}`;
    case "unrecognized_keys":
      return `has the unknown ${issue.keys.length === 1 ? "field" : "fields"} ${issue.keys.join(", ")}`;
    case "invalid_format":
      return issue.format === "regex"
        ? "has characters, or a form, that the field does not permit"
        : `must be a valid ${issue.format}`;
    case "not_multiple_of":
    case "invalid_key":
    case "invalid_element":
    case "invalid_union":
    case "custom":
      return "has a value that the field does not permit";
  }
}

const nouns: Readonly<Record<string, string>> = {
  array: "a list",
  object: "an object",
  record: "an object",
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

function nounOf(type: string): string {
  return nouns[type] ?? `of the type ${type}`;
}

/** @param bound such as `at most` */
function boundOf(bound: string, origin: string, limit: number): string {
  if (origin === "string") return `must have ${bound} ${limit} ${limit === 1 ? "character" : "characters"}`;
  if (origin === "number" || origin === "int") return `must be ${bound} ${limit}`;
  const unit = origin === "array" || origin === "set" ? "item" : "field";
  return `must have ${bound} ${limit} ${unit}${limit === 1 ? "" : "s"}`;
}
