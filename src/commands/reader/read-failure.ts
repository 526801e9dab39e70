import { CommandFailure } from "#src/commands/command.ts";
import { exitCodeOf } from "#src/commands/login/exit-code.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import { oneLine } from "#src/telemetry/one-line.ts";

/** What makes a read of the platform succeed that failed. */
export function readFix({ problem }: PlatformFailure): string {
  const code = problem.kind === "rejected" ? problem.error.code : undefined;
  if (code === "UNAUTHENTICATED") return "Log in again: muster login. Or replace the file of --token-file.";
  if (code === "NOT_FOUND" || code === "PERMISSION_DENIED")
    return "Have the role viewer bound to your identity, which muster whoami shows, in that group or above: then what you cannot read does not exist.";
  return "Check that the platform responds: muster doctor.";
}

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
