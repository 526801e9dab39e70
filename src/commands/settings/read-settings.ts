import { parseArgs } from "node:util";
import { didYouMean } from "#src/text/nearest.ts";
import { flagOf, hasVariable, type Setting, type Settings, type Values, variableOf } from "./setting.ts";

/** All mistakes in the settings of a command. Each one names the flag or variable and says how to fix it. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly mistakes: readonly string[];
  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.mistakes = mistakes;
  }
}

/**
 * Reads settings from the command line and the environment.
 * @throws {SettingsError} with every mistake at once: unknown flags, missing settings and invalid values.
 */
export function readSettings<S extends Settings>(
  settings: S,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Values<S> {
  const mistakes: string[] = [];
  const given = textsFromArguments(settings, args, mistakes);
  const values: Record<string, unknown> = {};
  // After an unknown flag, its value may have been taken for an operand: what is wrong with operands then follows from it.
  const operandsAreKnown = mistakes.length === 0;
  for (const [key, setting] of Object.entries(settings)) {
    if (setting.operand && !operandsAreKnown) continue;
    const fromFlag = given.get(key);
    const variable = hasVariable(setting) ? env[variableOf(key)] : undefined;
    const flag = setting.operand ? setting.placeholder : flagOf(key);
    const name = fromFlag === undefined && variable ? variableOf(key) : flag;
    const texts = fromFlag ?? (variable ? textsFromVariable(setting, variable) : undefined);
    if (texts === undefined) {
      if (setting.presence.kind === "default") values[key] = setting.presence.value;
      else
        mistakes.push(`${flag}${hasVariable(setting) ? ` (or ${variableOf(key)})` : ""} is required: ${setting.help}`);
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

function textsFromFlag(setting: Setting<unknown> | undefined, value: string): readonly string[] {
  return setting?.repeatable && !setting.commas ? value.split(",").map((part) => part.trim()) : [value];
}

function textsFromVariable(setting: Setting<unknown>, variable: string): readonly string[] {
  if (!setting.repeatable) return [variable];
  const parts = variable.split(setting.commas ? /[;\n]/ : /[;\n,]/).map((part) => part.trim());
  // The last of several lines may end with a line break. Any other empty value is a mistake.
  return /\n\s*$/.test(variable) ? parts.slice(0, -1) : parts;
}

/** The texts for each key, in the order of the arguments. */
function textsFromArguments(settings: Settings, args: readonly string[], mistakes: string[]): Map<string, string[]> {
  const flags = Object.keys(settings).filter((key) => !settings[key]?.operand);
  const operandKeys = Object.keys(settings).filter((key) => settings[key]?.operand);
  const keyOfFlag = new Map(flags.map((key) => [flagOf(key).slice(2), key]));
  const options = Object.fromEntries(
    [...keyOfFlag].map(([flag, key]) => [
      flag,
      {
        type: settings[key]?.placeholder === "" ? ("boolean" as const) : ("string" as const),
        multiple: true,
        ...(settings[key]?.short === undefined ? {} : { short: settings[key].short }),
      },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const given = new Map<string, string[]>();
  /** Where the argument is that could be the value of an unknown flag. */
  let valueOfUnknown: number | undefined;
  for (const token of tokens) {
    // The last operand takes what is left: it may be repeatable, and otherwise its type reports the mistake.
    const operandKey = operandKeys.find((key) => !given.has(key)) ?? operandKeys.at(-1);
    if (token.kind === "positional" && operandKey !== undefined)
      given.set(operandKey, [...(given.get(operandKey) ?? []), token.value]);
    else if (token.kind === "positional" && token.index !== valueOfUnknown)
      mistakes.push(`"${token.value}" is not expected here; give each setting as --name VALUE`);
    if (token.kind !== "option" || token.index + 1 === valueOfUnknown) continue;
    const key = keyOfFlag.get(token.name);
    if (key === undefined) {
      // The letters of an unknown flag with one hyphen, such as -count, are not flags of their own.
      const [rawName = token.rawName] = args[token.index]?.split("=") ?? [];
      const guess = didYouMean(rawName.replace(/^-+/, "--"), flags.map(flagOf));
      mistakes.push(`${rawName} is not a setting of this command${guess || "; --help lists all settings"}`);
      valueOfUnknown = token.index + 1;
    } else if (token.value === undefined && settings[key]?.placeholder !== "")
      mistakes.push(`${token.rawName} requires a value`);
    else given.set(key, [...(given.get(key) ?? []), ...textsFromFlag(settings[key], token.value ?? "true")]);
  }
  return given;
}
