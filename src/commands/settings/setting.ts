import { type Completion, oneOf, type ValueType } from "./value-types.ts";

/**
 * One setting of a command, named after its key: `rootGroup` is the flag `--root-group` and the environment variable
 * `MUSTER_ROOT_GROUP`. The flag takes precedence.
 */
export interface Setting<T> {
  readonly help: string;
  readonly placeholder: string;
  /** Parses all texts that are given for the setting: one, unless it is `repeatable`. @throws {Error} */
  readonly read: (texts: readonly string[]) => T;
  readonly repeatable: boolean;
  /** Whether a value may contain commas. If so, commas do not separate the values of a flag or a variable. */
  readonly commas: boolean;
  readonly completion: Completion | undefined;
  /** Matches every valid text of one value. */
  readonly pattern: RegExp | undefined;
  /** The letter of a short flag, such as `o` for `-o`. */
  readonly short?: string;
  /** Set for a positional argument, as in `muster platform backup FILE`, which has neither flag nor variable. */
  readonly operand?: true;
  /** Set for a setting that only a flag can give, because it is the content of one call and not configuration. */
  readonly flagOnly?: true;
  readonly presence: { readonly kind: "required" } | { readonly kind: "default"; readonly value: T };
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;

export type Values<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

export function required<T>(type: ValueType<T>, help: string): Setting<T> {
  return { help, ...single(type), presence: { kind: "required" } };
}

export function optional<T>(type: ValueType<T>, help: string): Setting<T | undefined> {
  return { help, ...single(type), presence: { kind: "default", value: undefined } };
}

/** A setting with a default, written as a user would write it on the command line. */
export function withDefault<T>(type: ValueType<T>, defaultText: string, help: string): Setting<T> {
  return {
    help: `${help} (default: ${defaultText})`,
    ...single(type),
    presence: { kind: "default", value: type.parse(defaultText) },
  };
}

/**
 * A setting with at least one value. The flag may be repeated. Commas separate values, unless a value may contain them; in the
 * variable, semicolons and line breaks do, too.
 */
export function requiredList<T>(type: ValueType<T>, help: string): Setting<readonly T[]> {
  return { help, ...many(type), presence: { kind: "required" } };
}

/** Like `requiredList`, with an empty list as the default. */
export function optionalList<T>(type: ValueType<T>, help: string): Setting<readonly T[]> {
  return { help, ...many(type), presence: { kind: "default", value: [] } };
}

/** A positional argument. Several are given in the order in which the command declares them. */
export function operand<T>(type: ValueType<T>, help: string): Setting<T> {
  return { ...required(type, help), operand: true };
}

/** One or more positional arguments: the last operand of its command. */
export function operands<T>(type: ValueType<T>, help: string): Setting<readonly T[]> {
  return { ...requiredList(type, help), placeholder: `${type.placeholder}…`, operand: true };
}

/** Any number of positional arguments: the last operand of its command. */
export function optionalOperands<T>(type: ValueType<T>, help: string): Setting<readonly T[]> {
  return { ...optionalList(type, help), placeholder: `[${type.placeholder}…]`, operand: true };
}

/** Takes the variable from a setting, which a command then reads from its flag alone. */
export function flagOnly<T>(setting: Setting<T>): Setting<T> {
  return { ...setting, flagOnly: true };
}

/** Whether an environment variable can give the setting. */
export function hasVariable(setting: Setting<unknown>): boolean {
  return setting.operand !== true && setting.flagOnly !== true;
}

/** A boolean that is false by default: `--flag`, `--flag=true`, `--flag=false`. */
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
    completion: type.completion,
    pattern: type.pattern,
    repeatable: false,
    read: (texts: readonly string[]) => {
      const [value, ...more] = texts;
      if (value === undefined || more.length > 0) throw new Error("must be given only once");
      return type.parse(value);
    },
  };
}

function many<T>(type: ValueType<T>) {
  return {
    placeholder: type.placeholder,
    commas: type.commas ?? false,
    completion: type.completion,
    pattern: type.pattern,
    repeatable: true,
    read: (texts: readonly string[]) => texts.map((value) => type.parse(value)),
  };
}

/** The flag of a setting: `--root-group` for `rootGroup`. */
export const flagOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The environment variable of a setting: `MUSTER_ROOT_GROUP` for `rootGroup`. */
export const variableOf = (key: string): string =>
  `MUSTER_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
