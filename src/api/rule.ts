import type { z } from "zod";

/** A rule of the CRD: the API server refuses what breaks it, with this sentence, which names the mend. */
export interface Rule<Value> {
  /** CEL over `self`, and `oldSelf` where it is about a change. */
  readonly rule: string;
  readonly message: string;
  /** Where the mistake is, as a path from the value that the rule is on, such as `.parentRef`. */
  readonly fieldPath?: string;
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  /** The same rule in TypeScript. A rule about a change has none, as one object does not show it. */
  readonly holds?: (value: Value) => boolean;
}

/**
 * The schema with rules on it: the CRD carries them as CEL, and parsing judges them too, so that an object that came
 * past an older CRD is not believed.
 */
export function withRules<Schema extends z.ZodType>(schema: Schema, ...rules: Rule<z.output<Schema>>[]): Schema {
  const checked = schema.superRefine((value, context) => {
    for (const { holds, message, fieldPath } of rules)
      if (holds && !holds(value)) context.addIssue({ code: "custom", message, path: pathOf(fieldPath) });
  });
  return checked.meta({ "x-kubernetes-validations": rules.map(({ holds: _inTypeScript, ...cel }) => cel) });
}

function pathOf(fieldPath: string | undefined): string[] {
  return fieldPath === undefined ? [] : fieldPath.split(".").slice(1);
}

/** The text matches. The pattern must mean the same in JavaScript and RE2, and hold no single quote. */
export function matches(pattern: RegExp, message: string): Rule<string> {
  return { rule: `self.matches(r'${pattern.source}')`, message, holds: (text) => pattern.test(text) };
}

/** The text does not match anywhere. */
export function matchesNot(pattern: RegExp, message: string): Rule<string> {
  return { rule: `!self.matches(r'${pattern.source}')`, message, holds: (text) => !pattern.test(text) };
}

/** One of the fields is set and the others are not. `why` ends the sentence `set exactly one of a and b: …`. */
export function exactlyOneOf<Value>(fields: readonly (keyof Value & string)[], why: string): Rule<Value> {
  return {
    rule: `[${fields.map((field) => `has(self.${field})`).join(", ")}].exists_one(set, set)`,
    message: `set exactly one of ${list(fields)}: ${why}`,
    holds: (value) => fields.filter((field) => value[field] !== undefined).length === 1,
  };
}

/** At most one of the fields is set. `why` ends the sentence `set at most one of a and b: …`. */
export function atMostOneOf<Value>(fields: readonly (keyof Value & string)[], why: string): Rule<Value> {
  return {
    rule: `[${fields.map((field) => `has(self.${field})`).join(", ")}].filter(set, set).size() <= 1`,
    message: `set at most one of ${list(fields)}: ${why}`,
    holds: (value) => fields.filter((field) => value[field] !== undefined).length <= 1,
  };
}

/**
 * The field, given or not, stays as it was created. It is a rule on what holds the field: one on the field itself is
 * not asked when the field comes or goes.
 */
export function immutable<Value>(field: keyof Value & string, message: string): Rule<Value> {
  // `self.?x == oldSelf.?x` says the same, but the API server cannot bound its cost, and refuses the CRD.
  return {
    rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    message,
    fieldPath: `.${field}`,
    reason: "FieldValueForbidden",
  };
}

function list(fields: readonly string[]): string {
  return `${fields.slice(0, -1).join(", ")} and ${fields.at(-1)}`;
}
