import { CommandFailure } from "#src/commands/command.ts";
import { ExplainedError } from "#src/commands/explained-error.ts";
import type { ExplanationName } from "#src/commands/explanations.ts";
import { exitCodeOf } from "#src/commands/login/exit-code.ts";
import { KubeError } from "#src/kube/errors.ts";
import { LoginFailure } from "#src/login/login-failure.ts";
import { NotLoggedIn } from "#src/login/login-session.ts";
import { PlatformFailure, type PlatformProblem } from "#src/platform-client/failure.ts";
import { ExchangeFailure } from "#src/workload/exchange-failure.ts";

/**
 * Where the documentation explains an error, or its nearest cause that is explained. It imports no package and no client: the agent of each pod
 * loads it after a failure.
 * @returns undefined if the message has to do
 */
export function explanationOf(error: unknown): ExplanationName | undefined {
  if (!(error instanceof Error)) return undefined;
  return ownExplanation(error) ?? explanationOf(error.cause);
}

function ownExplanation(error: Error): ExplanationName | undefined {
  if (error instanceof ExplainedError) return error.explanation;
  if (error instanceof NotLoggedIn) return "not-logged-in";
  if (error instanceof LoginFailure) return error.problem.kind === "refused" ? "login-refused" : "platform-unavailable";
  if (error instanceof ExchangeFailure) return error.refused ? "exchange-refused" : "platform-unavailable";
  if (error instanceof PlatformFailure) return explanationOfProblem(error.problem);
  if (error instanceof CommandFailure) return explanationOfExitCode(error.exitCode);
  if (error instanceof KubeError) return [0, 401, 403].includes(error.code) ? "cluster-access" : undefined;
  return undefined;
}

function explanationOfProblem(problem: PlatformProblem): ExplanationName | undefined {
  switch (problem.kind) {
    case "noResponse":
      return "platform-unavailable";
    case "credential":
      return problem.cause === "exchange" ? "exchange-refused" : "platform-unavailable";
    case "rejected":
      return explanationOfExitCode(exitCodeOf(problem.error.code));
    case "permissions":
      return "permission-denied";
    case "suspended":
    case "paused":
    case "ownerMismatch":
    case "parentGone":
      return undefined;
  }
}

function explanationOfExitCode(exitCode: number): ExplanationName | undefined {
  if (exitCode === exitCodeOf("UNAUTHENTICATED")) return "not-logged-in";
  return exitCode === exitCodeOf("PERMISSION_DENIED") ? "permission-denied" : undefined;
}
