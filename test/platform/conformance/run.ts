import { redacted, Transcript } from "./client/transcript.ts";
import type { Connection } from "./connection.ts";
import { Mismatch, Skip } from "./expect.ts";
import { findRoot, Sandbox } from "./sandbox.ts";
import type { Trial } from "./suite.ts";
import { StaticIssuer } from "#test/support/static-issuer.ts";
import { World } from "./world.ts";

/** How many of a failed case's last calls are reported. */
const shownExchanges = 3;

/** The result of a case. */
export type Verdict =
  | { readonly kind: "passed" }
  | { readonly kind: "skipped"; readonly reason: string }
  | {
      readonly kind: "failed";
      /** What was compared, or the error that stopped the case. */
      readonly what: string;
      /** Undefined if an error stopped the case before a comparison. */
      readonly compared: { readonly expected: unknown; readonly actual: unknown } | undefined;
      /** The last calls of the case, oldest first. */
      readonly exchanges: readonly { readonly request: string; readonly response: string }[];
    };

export interface Result {
  readonly trial: Trial;
  readonly verdict: Verdict;
  readonly milliseconds: number;
}

interface RunOptions {
  readonly connection: Connection;
  readonly parallel: number;
  /** Ends the run early: no further case starts, running cases are aborted, and everything created is deleted. */
  readonly signal: AbortSignal;
  /** Called once for each result, in the order of the trials. */
  readonly onResult: (result: Result) => void;
}

/**
 * Runs the trials, several at once, and deletes everything that they created, even if the run ends early.
 * @returns the results of the trials that ran, in their order
 * @throws {Error} if the suite's group cannot be created or cannot be deleted
 */
export async function run(trials: readonly Trial[], options: RunOptions): Promise<readonly Result[]> {
  const { connection, parallel, signal, onResult } = options;
  const { target } = connection;
  const secrets = new Set([target.token]);
  // The cleanup has a signal of its own: it also runs after the run was aborted.
  const cleaner = connection.rest(target.token, new Transcript(secrets), new AbortController().signal);
  const root = target.root ?? (await findRoot(cleaner));
  const sandbox = await Sandbox.make(cleaner, root, target.consistencyLag);
  const common = {
    connection,
    secrets,
    issuer: new StaticIssuer(),
    root,
    largeGroup: () => sandbox.largeGroup(),
    builtInRoles: new Map<string, string>(),
    signal,
  };

  const results: Result[] = [];
  let [next, reported] = [0, 0];
  const work = async () => {
    for (let index = next++; index < trials.length && !signal.aborted; index = next++) {
      const trial = trials[index] as Trial;
      results[index] = await runOne(trial, sandbox, common);
      for (; results[reported] !== undefined; reported++) onResult(results[reported] as Result);
    }
  };
  try {
    await Promise.all(Array.from({ length: parallel }, work));
  } finally {
    await sandbox.clear(sandbox.group);
  }
  return results.filter((result) => result !== undefined);
}

type Common = Omit<ConstructorParameters<typeof World>[0], "transport" | "transcript" | "group">;

async function runOne(trial: Trial, sandbox: Sandbox, common: Common): Promise<Result> {
  const started = performance.now();
  const verdict = await verdictOf(trial, sandbox, common);
  return { trial, verdict, milliseconds: performance.now() - started };
}

async function verdictOf({ transport, testCase }: Trial, sandbox: Sandbox, common: Common): Promise<Verdict> {
  if (transport === "grpc" && !common.connection.hasGrpc) return { kind: "skipped", reason: "--grpc is not set" };
  const transcript = new Transcript(common.secrets);
  const failed = (error: unknown): Verdict => {
    if (common.signal.aborted) return { kind: "skipped", reason: "the run was interrupted" };
    if (error instanceof Skip) return { kind: "skipped", reason: error.message };
    const compared = error instanceof Mismatch ? { expected: error.expected, actual: error.actual } : undefined;
    const what = error instanceof Mismatch ? error.message : String(error instanceof Error ? error.stack : error);
    const exchanges = transcript.last(shownExchanges);
    return { kind: "failed", what: redacted(what, common.secrets), compared, exchanges };
  };
  const passed: Verdict = { kind: "passed" };
  try {
    const group = await sandbox.makeGroup(`case ${crypto.randomUUID()}`);
    const world = new World({ ...common, transport, transcript, group });
    const verdict = await testCase.run(world).then(() => passed, failed);
    const cleanup = await sandbox.clear(group, transcript.created).then(() => passed, failed);
    return verdict.kind === "passed" ? cleanup : verdict;
  } catch (error) {
    return failed(error);
  }
}
