import { CommandFailure } from "#src/commands/command.ts";
import { exitCodeOf } from "#src/commands/login/exit-code.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import { oneLine } from "#src/telemetry/one-line.ts";

/** What a command that reads reports of an error: of a refusal of the platform, its exit code and how to fix it. */
export function readFailure(error: unknown): unknown {
  if (!(error instanceof PlatformFailure)) return error;
  const { message, problem } = error;
  const text = oneLine(message);
  if (problem.kind !== "rejected") return new Error(`the platform is not available: ${text}`, { cause: error });
  const { code } = problem.error;
  const fix =
    code === "UNAUTHENTICATED" ? ". Log in again with muster login, or replace the token of --token-file" : "";
  return new CommandFailure(text + fix, exitCodeOf(code), { cause: error });
}
