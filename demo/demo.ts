import type { Cluster } from "#test/support/harness/cluster.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import type { System } from "#test/support/harness/system.ts";
import { untilAborted } from "#test/support/until-aborted.ts";
import type { SummaryLine } from "./chapter.ts";
import { apply, applyAndWatch } from "./chapters/apply.ts";
import { deletion } from "./chapters/deletion.ts";
import { drift } from "./chapters/drift.ts";
import { edit } from "./chapters/edit.ts";
import { look } from "./chapters/look.ts";
import { mistakes } from "./chapters/mistakes.ts";
import { describeFailure, lastLines } from "./failure.ts";
import type { DemoCluster } from "./demo-cluster.ts";
import { showCommandsToTry } from "./commands-to-try.ts";
import { Interrupted } from "./interrupted.ts";
import { newControlPlane } from "./new-control-plane.ts";
import type { Options } from "./options.ts";
import { existingCluster } from "./existing-cluster.ts";
import type { Screen, Task } from "./screen.ts";
import { manifestsFor, Stage, startOperator, startSystem } from "./stage.ts";
import { showSummary } from "./summary.ts";
import { platformTour } from "./platform-tour.ts";
import { within } from "#test/support/within.ts";
import { ControlPlaneUnavailable } from "#test/support/control-plane/unavailable.ts";

const chapters = [apply, look, edit, drift, mistakes, deletion];
const startSeconds = 30;

interface StartedCluster {
  readonly demoCluster: DemoCluster;
  /** Not done yet, so that the result is printed after the tour. */
  readonly task: Task;
}

/** Runs all chapters and cleans up. @returns the exit code */
export async function demo(options: Options, screen: Screen, interruption: AbortController): Promise<number> {
  const demonstration = new Demo(options, screen, interruption);
  const { signal } = interruption;
  let code = 0;
  try {
    await demonstration.run();
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    screen.still();
    screen.show([""]);
    code = reason instanceof Interrupted ? 130 : 1;
    if (code === 1) demonstration.explain(reason);
    else screen.show(["Interrupted."]);
  }
  // Ends everything that still waits.
  interruption.abort(new Interrupted());
  const task = screen.begin("cleaning up");
  try {
    await demonstration.cleanUp();
    task.done(
      options.cluster === undefined
        ? "Cleaned up: all processes have ended and their files are removed"
        : "Cleaned up: the demo's objects are removed from your cluster",
    );
  } catch (error) {
    screen.still();
    screen.say(`✗ ${(error as Error).message}`, { style: "red" });
    return code || 1;
  }
  return code;
}

class Demo {
  readonly #options: Options;
  readonly #screen: Screen;
  readonly #interruption: AbortController;
  #kubernetes: Promise<StartedCluster> | undefined;
  #titles = 0;
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
      "Manifests declare groups, identities and role bindings: who can do what. The operator creates them on a platform, applies each change, and reverts changes made elsewhere.",
      { indent: 0 },
    );
    const summary: SummaryLine[] = [];
    this.#kubernetes = this.#startKubernetes();
    // An existing cluster is connected at once.
    if (this.#options.cluster === undefined) summary.push(...(await this.#tour(this.#kubernetes)));
    this.#title("Start Kubernetes, the platform and the operator");
    const stage = await this.#start(await this.#kubernetes);
    for (const chapter of chapters) {
      this.#title(chapter.title);
      screen.say(chapter.introduction);
      summary.push(...(await chapter.run(stage, screen)));
    }
    const counts = await stage.during("reading the operator's metrics", 10, stage.counts());
    showSummary(screen, summary, counts, performance.now() - started);
    if (this.#options.keep) return this.#keep(stage);
    screen.show([""]);
    screen.say("Next: npm run demo -- --keep keeps everything running, for you to try kubectl and curl.");
  }

  /** Something to watch while Kubernetes is built, which takes minutes the first time. It ends if Kubernetes cannot start. */
  async #tour(kubernetes: Promise<StartedCluster>): Promise<readonly SummaryLine[]> {
    this.#title("Look at a platform, while Kubernetes starts");
    const failure = new AbortController();
    kubernetes.catch((error: unknown) => failure.abort(error));
    return platformTour(this.#screen, AbortSignal.any([this.#interruption.signal, failure.signal]));
  }

  /** Its progress is shown below what the tour prints. */
  async #startKubernetes(): Promise<StartedCluster> {
    const { signal } = this.#interruption;
    const { cluster } = this.#options;
    const task = this.#screen.begin(cluster === undefined ? "Kubernetes" : "your cluster");
    const demoCluster =
      cluster === undefined
        ? await newControlPlane(signal, (line) => task.progress(line))
        : await existingCluster(cluster, signal);
    return { demoCluster, task };
  }

  async #start({ demoCluster, task: kubernetes }: StartedCluster): Promise<Stage> {
    const { signal } = this.#interruption;
    const { platformPort } = this.#options;
    const screen = this.#screen;
    signal.throwIfAborted();
    kubernetes.done(demoCluster.title);

    const platform = screen.begin("the platform");
    const system = await startSystem(demoCluster, platformPort, signal);
    this.#system = system;
    platform.done(`The platform, with only its root group, at ${system.platformUrl}`);

    const task = screen.begin("the operator");
    const operator = await within("starting the operator", startSeconds, startOperator(system), signal);
    task.done(
      "The operator, with the permissions of a production deployment; it authenticates with its service account's token",
    );
    this.#endWith(operator);
    const manifests = await manifestsFor(system.root, demoCluster.namespace);
    this.#stage = new Stage(demoCluster, system, operator, manifests, signal, (error) =>
      this.#interruption.abort(error),
    );
    return this.#stage;
  }

  /** Interrupts the demo when the operator ends: nothing could become Ready. */
  #endWith({ process }: Operator): void {
    void process.ended.then(() =>
      this.#interruption.abort(new Error(`the operator ended (${process.exitCode ?? process.signalCode})`)),
    );
  }

  async #keep(stage: Stage): Promise<void> {
    const screen = this.#screen;
    screen.show([""]);
    screen.say("Everything keeps running, and the examples are applied again", { style: "bold", indent: 0 });
    await applyAndWatch(stage, screen, stage.manifests);
    showCommandsToTry(screen, stage);
    const { signal } = this.#interruption;
    await untilAborted(signal);
    // Ctrl-C is the expected end.
    if (!(signal.reason instanceof Interrupted)) throw signal.reason;
    screen.show([""]);
  }

  #title(title: string): void {
    this.#titles += 1;
    this.#screen.show(["", this.#screen.paint("bold", `${this.#titles}. ${title}`)]);
  }

  /** Shows why the demo has failed. */
  explain(reason: unknown): void {
    const screen = this.#screen;
    screen.say(`✗ The demo failed: ${reason instanceof Error ? reason.message : String(reason)}`, {
      style: "red",
      indent: 0,
    });
    if (reason instanceof ControlPlaneUnavailable)
      screen.say("Or use a cluster that you have: npm run demo -- --context NAME", { indent: 2 });
    const operator = this.#system?.operators.at(-1);
    if (this.#stage !== undefined) screen.show(describeFailure(this.#stage));
    else if (operator !== undefined) screen.show(lastLines("The operator's last output:", operator));
  }

  /** Stops the system, and then the cluster even if that fails. */
  async cleanUp(): Promise<void> {
    try {
      await this.#system?.stop();
    } finally {
      // If the start was interrupted, it has removed what it created.
      const kubernetes = await this.#kubernetes?.catch(() => undefined);
      await kubernetes?.demoCluster.cleanUp();
    }
  }
}
