import { redacted, Transcript } from "./client/transcript.ts";
import type { Connection } from "./connection.ts";
import { Mismatch, Skip } from "./expect.ts";
import { findRoot, Sandbox } from "./sandbox.ts";
import type { Trial } from "./suite.ts";
import { StaticIssuer } from "./static-issuer.ts";
import { World } from "./world.ts";

/** What was sent and what came, the last calls of a case. */
const shownExchanges = 3;

/** How a case went. */
export type Verdict =
  | { readonly kind: "passed" }
  | { readonly kind: "skipped"; readonly reason: string }
  | {
      readonly kind: "failed";
      /** What was looked at, or what went wrong. */
      readonly what: string;
      /** Undefined where something went wrong before anything could be compared. */
      readonly compared: { readonly expected: unknown; readonly came: unknown } | undefined;
      readonly exchanges: readonly { readonly sent: string; readonly came: string }[];
    };

export interface Result {
  readonly trial: Trial;
  readonly verdict: Verdict;
  readonly milliseconds: number;
}

interface RunOptions {
  readonly connection: Connection;
  readonly parallel: number;
  /** Ends the run early: no case starts, those that run end, and all is cleaned up. */
  readonly signal: AbortSignal;
  /** Called in the order of the trials. */
  readonly onResult: (result: Result) => void;
}

/**
 * Runs the trials, several at once, and deletes what they made, also where the run is ended early.
 * @throws {Error} where the platform cannot be worked with at all, or keeps what was made
 */
export async function run(trials: readonly Trial[], options: RunOptions): Promise<readonly Result[]> {
  const { connection, parallel, signal, onResult } = options;
  const { target } = connection;
  const secrets = new Set([target.token]);
  // What cleans up is not stopped by what ends the run.
  const cleaner = connection.rest(target.token, new Transcript(secrets), new AbortController().signal);
  const root = target.root ?? (await findRoot(cleaner));
  const sandbox = await Sandbox.make(cleaner, root, target.consistencyLag);
  const common = {
    connection,
    secrets,
    issuer: new StaticIssuer(),
    root,
    crowd: () => sandbox.crowd(),
    builtInRoles: new Map<string, string>(),
    signal,
  };

  const results: Result[] = [];
  let [next, told] = [0, 0];
  const work = async () => {
    for (let index = next++; index < trials.length && !signal.aborted; index = next++) {
      const trial = trials[index] as Trial;
      results[index] = await runOne(trial, sandbox, common);
      for (; results[told] !== undefined; told++) onResult(results[told] as Result);
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
  const verdict = await judge(trial, sandbox, common);
  return { trial, verdict, milliseconds: performance.now() - started };
}

async function judge({ transport, tried }: Trial, sandbox: Sandbox, common: Common): Promise<Verdict> {
  if (transport === "grpc" && !common.connection.hasGrpc) return { kind: "skipped", reason: "no --grpc was given" };
  const transcript = new Transcript(common.secrets);
  const failed = (error: unknown): Verdict => {
    if (common.signal.aborted) return { kind: "skipped", reason: "the run was ended" };
    if (error instanceof Skip) return { kind: "skipped", reason: error.message };
    const compared = error instanceof Mismatch ? { expected: error.expected, came: error.came } : undefined;
    const what = error instanceof Mismatch ? error.message : String(error instanceof Error ? error.stack : error);
    const exchanges = transcript.last(shownExchanges);
    return { kind: "failed", what: redacted(what, common.secrets), compared, exchanges };
  };
  const passed: Verdict = { kind: "passed" };
  try {
    const group = await sandbox.room(`case ${crypto.randomUUID()}`);
    const world = new World({ ...common, transport, transcript, group });
    const verdict = await tried.run(world).then(() => passed, failed);
    const left = await sandbox.clear(group, transcript.made).then(() => passed, failed);
    return verdict.kind === "passed" ? left : verdict;
  } catch (error) {
    return failed(error);
  }
}
