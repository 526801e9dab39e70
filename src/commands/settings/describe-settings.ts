import { flagOf, type Setting, type Settings, variableOf } from "./setting.ts";

/** The text of `--help`: each setting with its placeholder, its help and its variable. */
export function describeSettings(settings: Settings): string {
  return Object.entries(settings)
    .map(([key, setting]) => {
      const notes = [
        ...(setting.presence.kind === "required" ? ["required"] : []),
        ...(setting.repeatable ? ["repeatable"] : []),
        ...(setting.operand ? [] : [variableNote(key, setting)]),
      ].join(", ");
      return (
        `  ${setting.short ? `-${setting.short}, ` : ""}${setting.operand ? "" : `${flagOf(key)} `}${setting.placeholder}`.trimEnd() +
        `\n      ${setting.help} [${notes}]`
      );
    })
    .join("\n");
}

function variableNote(key: string, { repeatable, commas }: Setting<unknown>): string {
  return repeatable && commas ? `${variableOf(key)} separated by semicolons` : variableOf(key);
}
