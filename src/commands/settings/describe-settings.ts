import { flagOf, hasVariable, type Setting, type Settings, variableOf } from "./setting.ts";
import { wrap } from "./wrap.ts";

/**
 * The text of `--help`: each setting with its placeholder, its help and its variable, in lines of at most `columns` columns
 * unless a single word is longer.
 */
export function describeSettings(settings: Settings, columns = 80): string {
  return Object.entries(settings)
    .map(([key, setting]) => {
      const notes = [
        ...(setting.presence.kind === "required" ? ["required"] : []),
        ...(setting.repeatable ? ["repeatable"] : []),
        ...(hasVariable(setting) ? [variableNote(key, setting)] : []),
      ].join(", ");
      const help = notes === "" ? setting.help : `${setting.help} [${notes}]`;
      return `  ${headOf(key, setting)}\n${wrap(help, columns, "      ")}`;
    })
    .join("\n");
}

/** `--root-group UID`, or `FILE…` for a positional argument. */
function headOf(key: string, { operand, short, placeholder }: Setting<unknown>): string {
  if (operand) return placeholder;
  return `${short === undefined ? "" : `-${short}, `}${flagOf(key)} ${placeholder}`.trimEnd();
}

function variableNote(key: string, { repeatable, commas }: Setting<unknown>): string {
  return repeatable && commas ? `${variableOf(key)} separated by semicolons` : variableOf(key);
}
