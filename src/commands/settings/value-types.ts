import { didYouMean } from "#src/text/nearest.ts";

/** What a shell can complete: one of these texts, the path of a file, or the name of a command of `muster`. */
export type Completion = readonly string[] | "file" | "command";

/** How one text becomes a value. */
export interface ValueType<T> {
  /** What the help shows for a value, such as `FILE`. */
  readonly placeholder: string;
  /** Whether a value may contain commas. */
  readonly commas?: boolean;
  /** Absent: a shell has nothing to complete. */
  readonly completion?: Completion;
  /** Matches every valid text, for the schemas of other files with settings. */
  readonly pattern?: RegExp;
  /** @throws {Error} whose message says what is wrong with the text and what a valid one looks like. */
  readonly parse: (text: string) => T;
}

/** Any text except the empty one. */
export const text: ValueType<string> = {
  placeholder: "TEXT",
  parse: (value) => {
    if (value === "") throw new Error("must not be empty");
    return value;
  },
};

export const file: ValueType<string> = { ...text, placeholder: "FILE", completion: "file" };

/**
 * An http or https URL to which paths are appended: without query and fragment, and without credentials, which would
 * otherwise end up in logs.
 */
export const url: ValueType<URL> = {
  placeholder: "URL",
  parse: (value) => {
    const parsed = URL.parse(value);
    if (parsed === null || !["http:", "https:"].includes(parsed.protocol))
      throw new Error(`"${value}" is not an http or https URL, such as https://platform.example.com`);
    if (parsed.username !== "" || parsed.password !== "") throw new Error("must not contain a user name or password");
    if (/[?#]/.test(value)) throw new Error(`"${value}" must not have a query or a fragment`);
    return parsed;
  },
};

const durationPattern = /^(\d+(\.\d+)?(ms|s|m|h))+$/;

/** Milliseconds, written as `500ms`, `15s`, `10m`, `1h` or a sequence of these (`1h30m`). */
export const duration: ValueType<number> = {
  placeholder: "DURATION",
  pattern: durationPattern,
  parse: (value) => {
    if (!durationPattern.test(value)) throw new Error(`"${value}" is not a duration, such as 15s, 10m or 1h30m`);
    const unit = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
    let total = 0;
    for (const [, amount, , name] of value.matchAll(/(\d+(\.\d+)?)(ms|s|m|h)/g))
      total += Number(amount) * unit[name as keyof typeof unit];
    return total;
  },
};

/** A duration with bounds, both included, which are written as the duration is. */
export function boundedDuration({
  least,
  most,
}: {
  readonly least: string;
  readonly most?: string;
}): ValueType<number> {
  const minimum = duration.parse(least);
  const maximum = most === undefined ? Number.POSITIVE_INFINITY : duration.parse(most);
  return {
    ...duration,
    parse: (value) => {
      const time = duration.parse(value);
      if (time < minimum) throw new Error(`"${value}" is shorter than ${least}`);
      if (time > maximum) throw new Error(`"${value}" is longer than ${most}`);
      return time;
    },
  };
}

/** A whole number between two bounds, both included. */
export function integer(minimum: number, maximum: number): ValueType<number> {
  return {
    placeholder: "N",
    parse: (value) => {
      const number = Number(value);
      if (!/^-?\d+$/.test(value) || number < minimum || number > maximum)
        throw new Error(`"${value}" is not a whole number from ${minimum} to ${maximum}`);
      return number;
    },
  };
}

export function oneOf<const T extends string>(...choices: readonly T[]): ValueType<T> {
  return {
    placeholder: choices.join("|"),
    completion: choices,
    parse: (value) => {
      const found = choices.find((choice) => choice === value);
      if (found === undefined)
        throw new Error(`"${value}" is not valid; valid values are ${choices.join(", ")}${didYouMean(value, choices)}`);
      return found;
    },
  };
}

/** A text that matches a pattern. `expected` completes the error "… is not …", such as "a uid: 40 hex digits". */
export function matching(placeholder: string, pattern: RegExp, expected: string): ValueType<string> {
  return {
    placeholder,
    pattern,
    parse: (value) => {
      if (!pattern.test(value)) throw new Error(`"${value}" is not ${expected}`);
      return value;
    },
  };
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `HOST:PORT`, with an IPv6 address in brackets. Port 0 means any free port. */
export const listenAddress: ValueType<ListenAddress> = {
  placeholder: "HOST:PORT",
  parse: (value) => {
    const match = /^(\[[0-9a-fA-F:]+\]|[^:[\]]+):(\d{1,5})$/.exec(value);
    const port = Number(match?.[2]);
    if (match?.[1] === undefined || port > 65_535)
      throw new Error(`"${value}" is not HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080`);
    return { host: match[1].replace(/^\[|\]$/g, ""), port };
  },
};
