import { CommandFailure } from "#src/commands/command.ts";
import { NotLoggedIn } from "#src/login/login-session.ts";
import { codeNames, type CodeName } from "#src/platform-client/failure.ts";

/** The exit code of a command whose call the platform refused: 10 and the number of the code, such as 15 for NOT_FOUND. */
export function exitCodeOf(code: CodeName): number {
  return 10 + codeNames.indexOf(code);
}

/** Runs the work of a command. Without a login, the exit code is that of UNAUTHENTICATED. */
export async function withExitCode<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NotLoggedIn)) throw error;
    throw new CommandFailure(error.message, exitCodeOf("UNAUTHENTICATED"), { cause: error });
  }
}
