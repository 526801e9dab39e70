import { parseArgs } from "node:util";
import { wholeNumber } from "#test/support/command-line.ts";

/** An option of a benchmark. On the command line it is named after its property: `--platform-latency`. */
export interface Option<T> {
  /** What its value is: `N`, `FILE`. Empty for a switch, which has none. */
  readonly placeholder: string;
  /** What it does, and its default. */
  readonly help: string;
  /**
   * @param text the value; of a switch, its name; undefined if the option is absent
   * @param quick whether the sizes are small
   * @throws {Error} that names the option if the value is invalid
   */
  readonly read: (name: string, text: string | undefined, quick: boolean) => T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;

/** The values of options. */
export type Values<O extends Options> = { readonly [Name in keyof O]: ReturnType<O[Name]["read"]> };

/** Every benchmark has them. */
export const quick: Option<boolean> = flag("small sizes, to see whether the benchmark runs; its figures say little");

/** A whole number. @param initial its default @param small its default with --quick */
export function number(help: string, initial: number, { small = initial, least = 1 } = {}): Option<number> {
  const otherwise = small === initial ? "" : `, with --quick ${small}`;
  return {
    placeholder: "N",
    help: `${help} (default ${initial}${otherwise})`,
    read: (name, text, isQuick) => (text === undefined ? (isQuick ? small : initial) : wholeNumber(name, text, least)),
  };
}

export function path(placeholder: "FILE" | "DIR", help: string): Option<string | undefined> {
  return { placeholder, help, read: (_, text) => text };
}

export function flag(help: string): Option<boolean> {
  return { placeholder: "", help, read: (_, text) => text !== undefined };
}

/** Some of the known names, in the order in which they are given. @param initial its default @param small its default with --quick */
export function list<T extends string>(
  help: string,
  known: readonly T[],
  { initial = known, small = initial }: { readonly initial?: readonly T[]; readonly small?: readonly T[] } = {},
): Option<readonly T[]> {
  const all = initial === known ? "all" : initial.join(",");
  const otherwise = small === initial ? "" : `, with --quick ${small.join(",")}`;
  const named = (name: string, one: string) => {
    const found = known.find((each) => each === one);
    if (found === undefined) throw new Error(`${name}: "${one}" is not one of ${known.join(", ")}`);
    return found;
  };
  return {
    placeholder: "LIST",
    help: `${help}: ${known.join(", ")} (default ${all}${otherwise}; '' is none)`,
    read: (name, text, isQuick) => {
      if (text === undefined) return isQuick ? small : initial;
      return text
        .split(",")
        .filter((one) => one !== "")
        .map((one) => named(name, one));
    },
  };
}

/** Whole numbers. @param small the default with --quick */
export function numbers(
  help: string,
  initial: readonly number[],
  small: readonly number[],
  least: number,
): Option<readonly number[]> {
  return {
    placeholder: "LIST",
    help: `${help} (default ${initial.join(",")}, with --quick ${small.join(",")})`,
    read: (name, text, isQuick) =>
      text?.split(",").map((one) => wholeNumber(name, one, least)) ?? (isQuick ? small : initial),
  };
}

/** @throws {Error} that names the invalid option */
export function readOptions<O extends Options>(options: O, args: readonly string[]): Values<O> {
  const types = Object.entries(options).map(([name, { placeholder }]) => {
    const type = placeholder === "" ? ("boolean" as const) : ("string" as const);
    return [hyphenated(name), { type }] as const;
  });
  const { values: given } = parseArgs({ args: [...args], options: Object.fromEntries(types) });
  const values = Object.entries(options).map(([name, { read }]) => {
    const text = given[hyphenated(name)]?.toString();
    return [name, read(`--${hyphenated(name)}`, text, given["quick"] === true)] as const;
  });
  return Object.fromEntries(values) as Values<O>;
}

/** A line or more for each option. */
export function usageOf(options: Options): string {
  const terms = Object.entries(options).map(([name, { placeholder, help }]) => ({
    term: `  --${hyphenated(name)} ${placeholder}`.trimEnd(),
    help,
  }));
  const column = Math.max(...terms.map(({ term }) => term.length)) + 2;
  return terms.map(({ term, help }) => term.padEnd(column) + wrapped(help, 116 - column, column)).join("\n");
}

/** @param indent of the lines after the first */
function wrapped(text: string, width: number, indent: number): string {
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    const line = `${lines.at(-1) ?? ""} ${word}`.trimStart();
    if (line.length > width) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines.join(`\n${" ".repeat(indent)}`);
}

function hyphenated(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
