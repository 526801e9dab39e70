export type ReadinessState = "ready" | "stopping" | "database unavailable";

export interface ReadinessOptions {
  /** Aborted when the platform begins to stop. */
  readonly stopping: AbortSignal;
  readonly isDatabaseUp: () => Promise<boolean>;
  /** Milliseconds since an arbitrary start. */
  readonly monotonic: () => number;
}

/** How long a response of the database is used for further questions (ms), so that nobody can load it with probes. */
const reuse = 1_000;

/** Whether the platform can serve calls: it does not stop, and its database responds. */
export class Readiness {
  readonly stopping: AbortSignal;
  readonly #options: ReadinessOptions;
  #last: { readonly isUp: Promise<boolean>; readonly askedAt: number } | undefined;

  constructor(options: ReadinessOptions) {
    this.stopping = options.stopping;
    this.#options = options;
  }

  async state(): Promise<ReadinessState> {
    if (this.stopping.aborted) return "stopping";
    const now = this.#options.monotonic();
    if (this.#last === undefined || now - this.#last.askedAt >= reuse)
      this.#last = { isUp: this.#options.isDatabaseUp(), askedAt: now };
    const isUp = await this.#last.isUp;
    if (this.stopping.aborted) return "stopping";
    return isUp ? "ready" : "database unavailable";
  }
}
