/** What a limit counts. Bytes are those of UTF-8, characters are UTF-16 code units, as in JSON Schema. */
type Unit = "bytes" | "characters" | "items" | "instructions" | "steps";

/**
 * One limit of the platform. The checks, the defaults of the settings and the documentation read it from the same table, so that
 * they cannot differ.
 */
export interface Limit {
  /** What is limited, as the first words of a row of the documentation. */
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  /** The setting of `muster platform` that replaces the value; undefined for a limit that cannot be changed. */
  readonly setting?: string;
}
