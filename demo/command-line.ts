import type { Screen } from "./screen.ts";

/** What a person would type for what happens next. */
export function showCommand(screen: Screen, command: string): void {
  screen.say(`$ ${command}`, { style: "cyan", indent: 2 });
}
