import type { z } from "zod";

/** A validation rule of the CRD. The API server rejects a value that violates the rule, with `message`, which includes the fix. */
export interface Rule<Value> {
  /** A CEL expression over `self`, and over `oldSelf` if the rule restricts a change. */
  readonly rule: string;
  readonly message: string;
  /** Path of the invalid field, relative to the value that has the rule, such as `.parentRef`. */
  readonly fieldPath?: string;
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  /** The same rule in TypeScript. Absent if the rule restricts a change, which a single object does not show. */
  readonly holds?: (value: Value) => boolean;
}

/** The keyword of a structural schema that contains its CEL rules. */
const validations = "x-kubernetes-validations";

/**
 * Adds rules to a schema. The CRD carries them as CEL, and parsing enforces them too, because an object may have been
 * validated by an older CRD.
 */
export function withRules<Schema extends z.ZodType>(schema: Schema, ...rules: Rule<z.output<Schema>>[]): Schema {
  const checked = schema.superRefine((value, context) => {
    for (const { holds, message, fieldPath } of rules)
      if (holds && !holds(value)) context.addIssue({ code: "custom", message, path: pathOf(fieldPath) });
  });
  const inherited = (schema.meta()?.[validations] ?? []) as readonly object[];
  return checked.meta({ [validations]: [...inherited, ...rules.map(({ holds: _inTypeScript, ...cel }) => cel)] });
}

function pathOf(fieldPath: string | undefined): string[] {
  return fieldPath === undefined ? [] : fieldPath.split(".").slice(1);
}

/** The text must match. The pattern must mean the same in JavaScript and RE2, and must not contain a single quote. */
export function matches(pattern: RegExp, message: string): Rule<string> {
  return { rule: `self.matches(r'${pattern.source}')`, message, holds: (text) => pattern.test(text) };
}

/** No part of the text may match. */
export function matchesNot(pattern: RegExp, message: string): Rule<string> {
  return { rule: `!self.matches(r'${pattern.source}')`, message, holds: (text) => !pattern.test(text) };
}

/** One of the fields must be set and the others must not. */
export function exactlyOneOf<Value>(fields: readonly (keyof Value & string)[]): Rule<Value> {
  return {
    rule: `[${fields.map((field) => `has(self.${field})`).join(", ")}].exists_one(set, set)`,
    message: `exactly one of ${list(fields)} must be set`,
    holds: (value) => fields.filter((field) => value[field] !== undefined).length === 1,
  };
}

/** At most one of the fields may be set. */
export function atMostOneOf<Value>(fields: readonly (keyof Value & string)[]): Rule<Value> {
  return {
    rule: `[${fields.map((field) => `has(self.${field})`).join(", ")}].filter(set, set).size() <= 1`,
    message: `at most one of ${list(fields)} may be set`,
    holds: (value) => fields.filter((field) => value[field] !== undefined).length <= 1,
  };
}

/**
 * The field must stay as it was created, set or unset. The rule is on the parent, because a rule on the field itself is
 * not evaluated when the field is added or removed.
 */
export function immutable<Value>(field: keyof Value & string, message: string): Rule<Value> {
  // `self.?x == oldSelf.?x` is equivalent, but the API server cannot bound its cost and rejects the CRD.
  return {
    rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    message,
    fieldPath: `.${field}`,
    reason: "FieldValueForbidden",
  };
}

/** The fields of a schema with the rule `immutable`, and the message of each. */
export function immutableFields(schema: z.ZodType): readonly { readonly field: string; readonly message: string }[] {
  const rules = (schema.meta()?.[validations] ?? []) as readonly Rule<never>[];
  return rules.flatMap(({ rule, message, fieldPath = "" }) => {
    const field = fieldPath.slice(1);
    return rule === immutable<Record<string, unknown>>(field, message).rule ? [{ field, message }] : [];
  });
}

function list(fields: readonly string[]): string {
  return `${fields.slice(0, -1).join(", ")} and ${fields.at(-1)}`;
}
