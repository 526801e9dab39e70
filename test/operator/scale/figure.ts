/** One measured number. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
  /** The largest value that meets the goal; absent if there is no goal. */
  readonly atMost?: number;
}

export type Unit = "" | "s" | "ms" | "MiB";

/** What a scenario measured. */
export interface Outcome {
  readonly scenario: string;
  /** One sentence: the sizes, and what was done. */
  readonly setting: string;
  readonly figures: readonly Figure[];
  /** What explains the figures, such as requests by method. */
  readonly details: Readonly<Record<string, unknown>>;
}

export function count(name: string, value: number, atMost?: number): Figure {
  return figure(name, value, "", atMost);
}

export function seconds(name: string, value: number, atMost?: number): Figure {
  return figure(name, value, "s", atMost);
}

export function milliseconds(name: string, valueInSeconds: number, atMost?: number): Figure {
  return figure(name, valueInSeconds * 1000, "ms", atMost);
}

export function mebibytes(name: string, value: number, atMost?: number): Figure {
  return figure(name, value, "MiB", atMost);
}

function figure(name: string, value: number, unit: Unit, atMost: number | undefined): Figure {
  return { name, value, unit, ...(atMost === undefined ? {} : { atMost }) };
}

export const meetsGoal = ({ value, atMost = Infinity }: Figure): boolean => value <= atMost;
