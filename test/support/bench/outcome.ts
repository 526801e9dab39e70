/** A measured number, or several that are read together, such as a median and a 99th percentile. */
export interface Figure {
  readonly name: string;
  /** Empty for the heading of those that follow. */
  readonly values: readonly number[];
  readonly unit: Unit;
  /** The largest value that meets the goal; absent if there is no goal. */
  readonly atMost?: number;
}

export type Unit = "" | "s" | "ms" | "KiB" | "MiB" | "%";

/** What the measurement of one case came to. */
export interface Outcome {
  /** It replaces an earlier outcome with the same name. */
  readonly case: string;
  /** The sizes, and what was done. */
  readonly setting?: string;
  readonly figures: readonly Figure[];
  /** What the figures do not show, in words. */
  readonly note?: string;
  /** What explains the figures, such as requests by method. */
  readonly details?: unknown;
}

export function count(name: string, value: number | readonly number[], atMost?: number): Figure {
  return figure(name, value, "", atMost);
}

export function seconds(name: string, value: number | readonly number[], atMost?: number): Figure {
  return figure(name, value, "s", atMost);
}

export function milliseconds(name: string, value: number | readonly number[], atMost?: number): Figure {
  return figure(name, value, "ms", atMost);
}

export function mebibytes(name: string, value: number | readonly number[], atMost?: number): Figure {
  return figure(name, value, "MiB", atMost);
}

export function percent(name: string, share: number): Figure {
  return figure(name, share * 100, "%");
}

export function heading(name: string): Figure {
  return figure(`**${name}**`, [], "");
}

export function figure(name: string, value: number | readonly number[], unit: Unit, atMost?: number): Figure {
  return { name, values: [value].flat(), unit, ...(atMost === undefined ? {} : { atMost }) };
}

/** Whether no value is above the goal. A value that is not a number, because nothing was left to measure, misses it. */
export function meetsGoal({ values, atMost }: Figure): boolean {
  return atMost === undefined || values.every((value) => value <= atMost);
}

/** @throws {Error} if the outcome has no figure of this name */
export function figureOf({ case: name, figures }: Outcome, wanted: string): Figure {
  const found = figures.find((one) => one.name === wanted);
  if (found === undefined) throw new Error(`${name} has no figure "${wanted}"`);
  return found;
}
