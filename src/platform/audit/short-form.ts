import { fieldDecidesAccess } from "./deciding-fields.ts";
import type { FieldChange, FieldChanges } from "./field-changes.ts";

/** The size of one new value in a short record (bytes of JSON). */
const maximumValue = 1_024;
/** The size of all new values in a short record (bytes of JSON). */
const maximumValues = 4_096;

/**
 * The short form of a change: which fields it changed, without old values, and with those new values that decide access and are
 * small. With the names of the fields, it has at most some 5 KiB.
 * @param type as in records: `role binding`
 */
export function shortened(type: string, fields: FieldChanges): FieldChanges {
  return bounded(
    Object.entries(fields).map(([path, { new: value, omitted }]): [string, FieldChange] => {
      if (value === undefined) return [path, omitted === undefined ? {} : { omitted }];
      return [path, fieldDecidesAccess(type, path) ? { new: value } : { omitted: true }];
    }),
  );
}

/** Two updates of one resource in short form, as one: the state after the second is known as well as before. */
export function merged(earlier: FieldChanges, later: FieldChanges): FieldChanges {
  return bounded(Object.entries({ ...earlier, ...later }));
}

/** Omits values that are too large, and those for which no space is left. */
function bounded(changes: readonly (readonly [string, FieldChange])[]): FieldChanges {
  let space = maximumValues;
  return Object.fromEntries(
    changes.map(([path, change]) => {
      if (change.new === undefined) return [path, change];
      const size = Buffer.byteLength(JSON.stringify(change.new));
      if (size > Math.min(maximumValue, space)) return [path, { omitted: true }];
      space -= size;
      return [path, change];
    }),
  );
}
