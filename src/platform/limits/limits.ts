/** What a limit counts. Bytes are those of UTF-8, characters are UTF-16 code units, as in JSON Schema. */
type Unit = "bytes" | "characters" | "items" | "instructions" | "steps";

/** One limit of the platform. */
export interface Limit {
  /** What is limited, as the first words of a row of the documentation. */
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  /** The setting of `muster platform` that replaces the value; undefined for a limit that cannot be changed. */
  readonly setting?: string;
}

/**
 * The limits of the platform, in one table: the checks, the settings' defaults and the documentation read it, so that they
 * cannot differ. The order is that of the documentation.
 */
export const limits = {} as const satisfies Readonly<Record<string, Limit>>;
