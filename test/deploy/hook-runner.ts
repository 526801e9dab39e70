import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import type { MusterProcess } from "#test/support/harness/muster-process.ts";
import { type RunOptions, runWorkload } from "./run-workload.ts";
import { Workload } from "./workload.ts";

/** Runs the pods of a release's hooks, and reports their ends to the API server, for which Helm waits. */
export class HookRunner {
  readonly #objects: readonly KubeObject[];
  readonly #options: RunOptions;

  /** @param objects those of the release, with its hooks */
  constructor(objects: readonly KubeObject[], options: RunOptions) {
    this.#objects = objects;
    this.#options = options;
  }

  /** Waits until Helm has created the Pod, and runs it. @returns the ended process */
  async runPod(name: string, env: Readonly<Record<string, string>>): Promise<MusterProcess> {
    const workload = new Workload(this.#objects, "Pod", name);
    const { run, object } = await this.#run(workload, env);
    const phase = run.exitCode === 0 ? "Succeeded" : "Failed";
    await this.#options.controlPlane.admin.patch(object, { status: { phase } }, "status");
    return run;
  }

  /** Waits until Helm has created the Job, and runs its pod. @returns the ended process */
  async runJob(name: string): Promise<MusterProcess> {
    const workload = new Workload(this.#objects, "Job", name);
    const { run, object } = await this.#run(workload, {});
    const time = new Date().toISOString();
    const types = run.exitCode === 0 ? ["SuccessCriteriaMet", "Complete"] : ["FailureTarget", "Failed"];
    const conditions = types.map((type) => ({ type, status: "True", lastTransitionTime: time, reason: "Ended" }));
    const ended = run.exitCode === 0 ? { completionTime: time, succeeded: 1 } : { failed: 1 };
    const status = { startTime: time, ...ended, conditions };
    await this.#options.controlPlane.admin.patch(object, { status }, "status");
    return run;
  }

  async #run(workload: Workload, env: Readonly<Record<string, string>>) {
    const { admin } = this.#options.controlPlane;
    const hook = workload.object;
    // An object of an earlier run has a status, until Helm has replaced it.
    const object = await admin.waitFor(
      hook,
      (one) => one !== undefined && one.metadata.deletionTimestamp === undefined && !hasEnded(one),
    );
    const run = await runWorkload(workload, { ...this.#options, env });
    await run.ended;
    return { run, object: object ?? hook };
  }
}

/** Of a Pod or a Job. */
function hasEnded({ status }: KubeObject): boolean {
  return ["Succeeded", "Failed"].includes(status?.phase) || (status?.completionTime ?? status?.failed) !== undefined;
}
