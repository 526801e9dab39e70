import { parseArgs } from "node:util";

/**
 * One setting of a command: a flag `--root-group` and a variable `MUSTER_ROOT_GROUP` with the same meaning, named
 * after its key (`rootGroup`). A flag wins over the variable. `parse` turns one text into the value and throws an
 * `Error` whose message tells the mend.
 */
export interface Setting<T> {
  readonly help: string;
  readonly placeholder: string;
  /** Turns all texts given for the setting (one, unless `repeatable`) into its value. */
  readonly read: (texts: readonly string[]) => T;
  readonly repeatable: boolean;
  /** Whether a value may hold commas: then none separates the values of a repeatable setting in its variable. */
  readonly commas: boolean;
  /** Given by its place behind the command, as in `muster platform backup FILE`, and not as a flag or a variable. */
  readonly operand?: true;
  readonly presence: { readonly kind: "required" } | { readonly kind: "default"; readonly value: T };
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;

export type Values<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

/** How one text becomes a value. */
interface ValueType<T> {
  readonly placeholder: string;
  /** Whether a value may hold commas. */
  readonly commas?: boolean;
  readonly parse: (text: string) => T;
}

/** All mistakes in a command's settings, each a sentence that names the flag and the mend. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly mistakes: readonly string[];
  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.mistakes = mistakes;
  }
}

export const text: ValueType<string> = {
  placeholder: "TEXT",
  parse: (value) => {
    if (value === "") throw new Error("must not be empty");
    return value;
  },
};

export const file: ValueType<string> = { ...text, placeholder: "FILE" };

export const url: ValueType<URL> = {
  placeholder: "URL",
  parse: (value) => {
    const parsed = URL.parse(value);
    if (parsed === null || !["http:", "https:"].includes(parsed.protocol))
      throw new Error(`"${value}" is not an http or https URL, such as https://platform.example.com`);
    if (parsed.username !== "" || parsed.password !== "") throw new Error("must not contain a user name or password");
    return parsed;
  },
};

/** Milliseconds, written as `500ms`, `15s`, `10m`, `1h` or several of these in a row (`1h30m`). */
export const duration: ValueType<number> = {
  placeholder: "DURATION",
  parse: (value) => {
    if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(value))
      throw new Error(`"${value}" is not a duration, such as 15s, 10m or 1h30m`);
    const unit = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
    let total = 0;
    for (const [, amount, , name] of value.matchAll(/(\d+(\.\d+)?)(ms|s|m|h)/g))
      total += Number(amount) * unit[name as keyof typeof unit];
    return total;
  },
};

/** A whole number within bounds, both included. */
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
    parse: (value) => {
      const found = choices.find((choice) => choice === value);
      if (found === undefined) throw new Error(`"${value}" is none of ${choices.join(", ")}`);
      return found;
    },
  };
}

/** A text that matches a pattern; `example` tells the reader what is meant. */
export function matching(placeholder: string, pattern: RegExp, example: string): ValueType<string> {
  return {
    placeholder,
    parse: (value) => {
      if (!pattern.test(value)) throw new Error(`"${value}" is not ${example}`);
      return value;
    },
  };
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `HOST:PORT`; port 0 means any free one; IPv6 in brackets. */
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

export function required<T>(type: ValueType<T>, help: string): Setting<T> {
  return { help, ...single(type), presence: { kind: "required" } };
}

export function optional<T>(type: ValueType<T>, help: string): Setting<T | undefined> {
  return { help, ...single(type), presence: { kind: "default", value: undefined } };
}

/** A setting with a default, written as a person would write it on the command line. */
export function withDefault<T>(type: ValueType<T>, shown: string, help: string): Setting<T> {
  return {
    help: `${help} (default: ${shown})`,
    ...single(type),
    presence: { kind: "default", value: type.parse(shown) },
  };
}

/**
 * May be given several times; in its variable the values are separated by semicolons, new lines or, where no value may
 * hold one, commas. At least one is needed.
 */
export function requiredList<T>(type: ValueType<T>, help: string): Setting<readonly T[]> {
  return { help, ...many(type), presence: { kind: "required" } };
}

/** What the command is about, without a flag. At most one setting of a command is an operand. */
export function operand<T>(type: ValueType<T>, help: string): Setting<T> {
  return { ...required(type, help), operand: true };
}

/** As `operand`, one or more. */
export function operands<T>(type: ValueType<T>, help: string): Setting<readonly T[]> {
  return { ...requiredList(type, help), placeholder: `${type.placeholder}…`, operand: true };
}

export function optionalList<T>(type: ValueType<T>, help: string): Setting<readonly T[]> {
  return { help, ...many(type), presence: { kind: "default", value: [] } };
}

/** Off unless given: `--flag`, `--flag=true`, `--flag=false`. */
export function toggle(help: string): Setting<boolean> {
  return {
    help,
    ...single({ ...oneOf("true", "false"), placeholder: "" }),
    presence: { kind: "default", value: false },
    read: ([value]) => oneOf("true", "false").parse(value ?? "true") === "true",
  };
}

function single<T>(type: ValueType<T>) {
  return {
    placeholder: type.placeholder,
    commas: type.commas ?? false,
    repeatable: false,
    read: (texts: readonly string[]) => {
      const [value, ...more] = texts;
      if (value === undefined || more.length > 0) throw new Error("give it once");
      return type.parse(value);
    },
  };
}

function many<T>(type: ValueType<T>) {
  return {
    placeholder: type.placeholder,
    commas: type.commas ?? false,
    repeatable: true,
    read: (texts: readonly string[]) => texts.map((value) => type.parse(value)),
  };
}

export const flagOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
export const variableOf = (key: string): string =>
  `MUSTER_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/**
 * Reads settings from the command line and the environment.
 * @throws {SettingsError} with every mistake at once: unknown flags, missing ones and values that do not parse.
 */
export function readSettings<S extends Settings>(
  settings: S,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Values<S> {
  const mistakes: string[] = [];
  const given = textsFromArguments(settings, args, mistakes);
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(settings)) {
    const fromFlag = given.get(key);
    const variable = setting.operand ? undefined : env[variableOf(key)];
    const flag = setting.operand ? setting.placeholder : flagOf(key);
    const name = fromFlag === undefined && variable ? variableOf(key) : flag;
    const texts = fromFlag ?? (variable ? textsFromVariable(setting, variable) : undefined);
    if (texts === undefined) {
      if (setting.presence.kind === "default") values[key] = setting.presence.value;
      else mistakes.push(`${setting.operand ? flag : `${flag} (or ${variableOf(key)})`} is required: ${setting.help}`);
      continue;
    }
    try {
      values[key] = setting.read(texts);
    } catch (error) {
      mistakes.push(`${name}: ${(error as Error).message}`);
    }
  }
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return values as Values<S>;
}

function textsFromVariable(setting: Setting<unknown>, variable: string): readonly string[] {
  if (!setting.repeatable) return [variable];
  const parts = variable.split(setting.commas ? /[;\n]/ : /[;\n,]/).map((part) => part.trim());
  // A text of several lines may end with a new line. Any other empty value is a mistake.
  return /\n\s*$/.test(variable) ? parts.slice(0, -1) : parts;
}

function textsFromArguments(settings: Settings, args: readonly string[], mistakes: string[]): Map<string, string[]> {
  const flags = Object.keys(settings).filter((key) => !settings[key]?.operand);
  const operandKey = Object.keys(settings).find((key) => settings[key]?.operand);
  const keyOfFlag = new Map(flags.map((key) => [flagOf(key).slice(2), key]));
  const options = Object.fromEntries(
    [...keyOfFlag].map(([flag, key]) => [
      flag,
      { type: settings[key]?.placeholder === "" ? ("boolean" as const) : ("string" as const), multiple: true },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === "positional" && operandKey !== undefined)
      given.set(operandKey, [...(given.get(operandKey) ?? []), token.value]);
    else if (token.kind === "positional")
      mistakes.push(`"${token.value}" is not expected here; settings are given as --name value`);
    if (token.kind !== "option") continue;
    const key = keyOfFlag.get(token.name);
    if (key === undefined) mistakes.push(`${token.rawName} is not a setting of this command; --help lists them`);
    else if (token.value === undefined && settings[key]?.placeholder !== "")
      mistakes.push(`${token.rawName} needs a value`);
    else given.set(key, [...(given.get(key) ?? []), token.value ?? "true"]);
  }
  return given;
}

function variableNote(key: string, { repeatable, commas }: Setting<unknown>): string {
  return repeatable && commas ? `${variableOf(key)} with a semicolon between two` : variableOf(key);
}

/** The text of `--help`: every setting with its placeholder, variable and meaning. */
export function describeSettings(settings: Settings): string {
  return Object.entries(settings)
    .map(([key, setting]) => {
      const notes = [
        ...(setting.presence.kind === "required" ? ["required"] : []),
        ...(setting.repeatable ? ["repeatable"] : []),
        ...(setting.operand ? [] : [variableNote(key, setting)]),
      ].join(", ");
      return (
        `  ${setting.operand ? "" : `${flagOf(key)} `}${setting.placeholder}`.trimEnd() +
        `\n      ${setting.help} [${notes}]`
      );
    })
    .join("\n");
}
