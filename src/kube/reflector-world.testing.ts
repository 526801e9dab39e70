import { systemClock } from "#src/time/clock.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { KubeClient } from "./client.ts";
import type { KubeObject } from "./object.ts";
import { Reflector, type ReflectorOptions, type ReflectorReport } from "./reflector.ts";
import { json, type Responder, ScriptedServer } from "./scripted-server.testing.ts";
import { Store } from "./store.ts";

const resource = { group: "iam.muster.dev", version: "v1beta1", plural: "widgets", kind: "Widget" };

/** A reflector of widgets in the namespace `ns`, with a server that responds as its script says. */
export class ReflectorWorld {
  readonly server: ScriptedServer;
  readonly clock = new ManualClock();
  readonly store = new Store<KubeObject>({ indexes: {} });
  readonly abort = new AbortController();
  /** The reports that `nextReport` has not returned. */
  readonly reports: ReflectorReport[] = [];
  readonly #client: KubeClient;
  #onReport: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();

  private constructor(server: ScriptedServer, url: URL) {
    this.server = server;
    const connection = { server: url, token: () => Promise.resolve(undefined) };
    this.#client = new KubeClient({ connection, clock: systemClock });
  }

  static async listen(): Promise<ReflectorWorld> {
    const server = new ScriptedServer();
    return new ReflectorWorld(server, await server.listen());
  }

  /** Starts the reflector. */
  start(more: Partial<ReflectorOptions> = {}): void {
    const reflector = new Reflector({
      api: this.#client,
      resource,
      namespace: "ns",
      store: this.store,
      clock: this.clock,
      random: () => 0.5,
      ...more,
      report: (report) => {
        this.reports.push(report);
        this.#onReport();
      },
    });
    this.#running = reflector.run(this.abort.signal);
  }

  /** Ends when the reflector has ended. */
  get running(): Promise<void> {
    return this.#running;
  }

  async stop(): Promise<void> {
    this.abort.abort(new Error("the test is over"));
    await this.#running;
    await this.#client.close();
    await this.server.close();
  }

  /** The next report of this type; reports before it are dropped. */
  async nextReport<Type extends ReflectorReport["type"]>(type: Type) {
    for (;;) {
      const report = this.reports.shift();
      if (report?.type === type) return report as Extract<ReflectorReport, { type: Type }>;
      if (report === undefined)
        await new Promise<void>((resolve) => {
          this.#onReport = resolve;
        });
    }
  }

  /** The waits after the next failures, each of which passes. */
  async waits(failures: number): Promise<readonly number[]> {
    const waits: number[] = [];
    for (let failure = 0; failure < failures; failure += 1) {
      const { retryInMs } = await this.nextReport("failed");
      waits.push(retryInMs);
      await this.clock.advance(retryInMs);
    }
    return waits;
  }

  /** The next change of the store. */
  nextChange(): Promise<void> {
    return new Promise((resolve) => {
      const unsubscribe = this.store.onChange(() => {
        unsubscribe();
        resolve();
      });
    });
  }

  /** The keys of the stored objects. */
  keys(): readonly string[] {
    return [...this.store.keys()];
  }
}

export function widget(name: string, version: number): KubeObject {
  const metadata = { name, namespace: "ns", uid: `uid-${name}`, resourceVersion: String(version) };
  return { apiVersion: "iam.muster.dev/v1beta1", kind: "Widget", metadata };
}

/** Responds with a page of a list. @param more the continue token, if there are more pages */
export function list(version: number, items: readonly KubeObject[], more = ""): Responder {
  const metadata = { resourceVersion: String(version), continue: more };
  return json({ apiVersion: "v1", kind: "WidgetList", metadata, items });
}

export function added(name: string, version: number): object {
  return { type: "ADDED", object: widget(name, version) };
}

export function bookmark(version: number): object {
  const metadata = { resourceVersion: String(version), creationTimestamp: null };
  return { type: "BOOKMARK", object: { apiVersion: "v1", kind: "Widget", metadata } };
}
