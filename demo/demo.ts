import { once } from "node:events";
import type { Cluster } from "#test/support/harness/cluster.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import type { System } from "#test/support/harness/system.ts";
import type { Shown } from "./chapter.ts";
import { apply, applyAndWatch } from "./chapters/apply.ts";
import { deletion } from "./chapters/deletion.ts";
import { drift } from "./chapters/drift.ts";
import { edit } from "./chapters/edit.ts";
import { look } from "./chapters/look.ts";
import { refusal } from "./chapters/refusal.ts";
import { describeFailure, lastLines } from "./failure.ts";
import type { DemoCluster } from "./demo-cluster.ts";
import { showCommandsToTry } from "./commands-to-try.ts";
import { Interrupted } from "./interrupted.ts";
import { newControlPlane } from "./new-control-plane.ts";
import type { Options } from "./options.ts";
import { existingCluster } from "./existing-cluster.ts";
import type { Screen } from "./screen.ts";
import { manifestsFor, Stage, startOperator, startSystem } from "./stage.ts";
import { showSummary } from "./summary.ts";
import { within } from "#test/support/within.ts";

const chapters = [apply, look, edit, drift, refusal, deletion];
const startSeconds = 30;

/** Plays the whole story and clears up. @returns the exit code */
export async function demo(options: Options, screen: Screen, interruption: AbortController): Promise<number> {
  const play = new Play(options, screen, interruption);
  const { signal } = interruption;
  let code = 0;
  try {
    await play.run();
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    screen.still();
    screen.show([""]);
    code = reason instanceof Interrupted ? 130 : 1;
    if (code === 1) play.explain(reason);
    else screen.show(["Interrupted."]);
  }
  // Whoever waits for anything still is told that it is over.
  interruption.abort(new Interrupted());
  const task = screen.begin("clearing up");
  try {
    await play.clear();
    task.done(
      options.cluster === undefined ? "all of it has ended; no file is left" : "what was made in your cluster is gone",
    );
  } catch (error) {
    screen.still();
    screen.say(`✗ ${(error as Error).message}`, { style: "red" });
    return code || 1;
  }
  return code;
}

class Play {
  readonly #options: Options;
  readonly #screen: Screen;
  readonly #interruption: AbortController;
  #ground: DemoCluster | undefined;
  #system: System<Cluster> | undefined;
  #stage: Stage | undefined;

  constructor(options: Options, screen: Screen, interruption: AbortController) {
    this.#options = options;
    this.#screen = screen;
    this.#interruption = interruption;
  }

  async run(): Promise<void> {
    const screen = this.#screen;
    const started = performance.now();
    screen.say("Muster: access control as Kubernetes objects", { style: "bold", indent: 0 });
    screen.say(
      "You write down who may do what. An operator makes it so on the platform, follows each change, and keeps it so.",
      { indent: 0 },
    );
    this.#title(1, "Start, with real parts only");
    const stage = await this.#start();
    const shown: Shown[] = [];
    for (const [index, chapter] of chapters.entries()) {
      this.#title(index + 2, chapter.title);
      screen.say(chapter.about);
      shown.push(...(await chapter.play(stage, screen)));
    }
    const counts = await stage.during("reading the operator's metrics", 10, stage.counts());
    showSummary(screen, shown, counts, performance.now() - started);
    if (this.#options.keep) return this.#keep(stage);
    screen.show([""]);
    screen.say("Next: npm run demo -- --keep leaves all of it up, for you to try with kubectl and curl.");
  }

  async #start(): Promise<Stage> {
    const { signal } = this.#interruption;
    const { cluster, platformPort } = this.#options;
    const screen = this.#screen;
    const kubernetes = screen.begin(cluster === undefined ? "Kubernetes" : "your cluster");
    const ground =
      cluster === undefined
        ? await newControlPlane(signal, (line) => kubernetes.progress(line))
        : await existingCluster(cluster, signal);
    this.#ground = ground;
    signal.throwIfAborted();
    kubernetes.done(ground.title);

    const platform = screen.begin("the platform");
    const system = await startSystem(ground, platformPort, signal);
    this.#system = system;
    platform.done(`the platform, which knows nothing yet but its root group, at ${system.platformUrl}`);

    const task = screen.begin("the operator");
    const operator = await within("the start of the operator", startSeconds, startOperator(system), signal);
    task.done(
      `the operator, with the rights that it would have in production; it logs in with its service account's token`,
    );
    this.#endWith(operator);
    const manifests = await manifestsFor(system.root, ground.namespace);
    this.#stage = new Stage(ground, system, operator, manifests, signal, (error) => this.#interruption.abort(error));
    return this.#stage;
  }

  /** Without an operator there is nothing to wait for. */
  #endWith({ process }: Operator): void {
    void process.ended.then(() =>
      this.#interruption.abort(new Error(`the operator has ended (${process.exitCode ?? process.signalCode})`)),
    );
  }

  async #keep(stage: Stage): Promise<void> {
    const screen = this.#screen;
    screen.show([""]);
    screen.say("Everything stays up, and the examples are applied again", { style: "bold", indent: 0 });
    await applyAndWatch(stage, screen, stage.manifests);
    showCommandsToTry(screen, stage);
    const { signal } = this.#interruption;
    // A signal handler keeps no event loop alive by itself.
    const alive = setInterval(() => {}, 1 << 30);
    if (!signal.aborted) await once(signal, "abort");
    clearInterval(alive);
    // That is how it is meant to end.
    if (!(signal.reason instanceof Interrupted)) throw signal.reason;
    screen.show([""]);
  }

  #title(number: number, title: string): void {
    this.#screen.show(["", this.#screen.paint("bold", `${number}. ${title}`)]);
  }

  /** Says why the story has stopped. */
  explain(reason: unknown): void {
    const screen = this.#screen;
    screen.say(`✗ The demo has failed: ${reason instanceof Error ? reason.message : String(reason)}`, {
      style: "red",
      indent: 0,
    });
    const operator = this.#system?.operators.at(-1);
    if (this.#stage !== undefined) screen.show(describeFailure(this.#stage));
    else if (operator !== undefined) screen.show(lastLines("The operator's last lines:", operator));
  }

  /** Ends what runs, in the reverse order. All of it, whatever fails. */
  async clear(): Promise<void> {
    try {
      await this.#system?.stop();
    } finally {
      await this.#ground?.cleanUp();
    }
  }
}
