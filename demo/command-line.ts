import type { Screen } from "./screen.ts";

/** Shows the command that a user would type for the next step. */
export function showCommand(screen: Screen, command: string): void {
  screen.verbatim(`  ${screen.paint("cyan", `$ ${command}`)}`);
}
