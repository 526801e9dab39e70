/** While writes fail, the platform is ready: it serves reads, and an unready replica would get no call that takes access away. */
export type ReadinessState = "ready" | "ready, but no write succeeds" | "stopping" | "database unavailable";

export interface ReadinessOptions {
  /** Aborted when the platform begins to stop. */
  readonly stopping: AbortSignal;
  readonly isDatabaseUp: () => Promise<boolean>;
  readonly isWritable: () => boolean;
  /** Milliseconds since an arbitrary start. */
  readonly monotonic: () => number;
}

/** How long a response of the database is used for further questions (ms), so that nobody can load it with probes. */
const reuse = 1_000;

/** Whether the platform can serve calls: it does not stop, and its database responds. */
export class Readiness {
  readonly stopping: AbortSignal;
  readonly #options: ReadinessOptions;
  #last: { readonly state: Promise<ReadinessState>; readonly askedAt: number } | undefined;

  constructor(options: ReadinessOptions) {
    this.stopping = options.stopping;
    this.#options = options;
  }

  async state(): Promise<ReadinessState> {
    if (this.stopping.aborted) return "stopping";
    const now = this.#options.monotonic();
    if (this.#last === undefined || now - this.#last.askedAt >= reuse)
      this.#last = { state: this.#ofDatabase(), askedAt: now };
    const state = await this.#last.state;
    return this.stopping.aborted ? "stopping" : state;
  }

  async #ofDatabase(): Promise<ReadinessState> {
    const { isDatabaseUp, isWritable } = this.#options;
    if (!(await isDatabaseUp())) return "database unavailable";
    return isWritable() ? "ready" : "ready, but no write succeeds";
  }
}

/** What `/readyz` responds. */
export function probeResultOf(state: ReadinessState): { readonly ok: boolean; readonly text: string } {
  return { ok: isReady(state), text: state === "ready" ? "ok" : state };
}

/** Whether calls are to be sent to the platform. */
export function isReady(state: ReadinessState): boolean {
  return state === "ready" || state === "ready, but no write succeeds";
}
