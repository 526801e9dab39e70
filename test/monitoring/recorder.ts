import { setTimeout as sleep } from "node:timers/promises";
import { Agent, fetch } from "undici";
import { type Scrape, type TargetLabels, writeRecording } from "./recording.ts";

/** The certificate of a platform that is recorded is self-signed. */
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });

export interface Target {
  readonly url: string;
  readonly labels: TargetLabels;
}

/** Milliseconds between two scrapes of a recording. */
const intervalMs = 5_000;

export function operatorTarget(url: string, number = 0): Target {
  return { url, labels: labelsOf("muster-system", "muster-operator", `muster-operator-${number}`, number) };
}

export function platformTarget(url: string): Target {
  return { url, labels: labelsOf("muster-platform", "muster-platform", "platform-0", 9) };
}

function labelsOf(namespace: string, job: string, pod: string, number: number): TargetLabels {
  return { job: `${namespace}/${job}`, namespace, pod, instance: `10.0.0.${number + 1}:8080` };
}

/** Scrapes targets as Prometheus does, and writes the recording. */
export class Recorder {
  readonly #name: string;
  readonly #scrapes: Scrape[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  async scrape(targets: readonly Target[]): Promise<void> {
    // The time is recorded in seconds. Rounded, an age would grow too slowly or too fast between two scrapes.
    await sleep(1_000 - (Date.now() % 1_000));
    const time = Math.round(Date.now() / 1000);
    this.#scrapes.push(
      ...(await Promise.all(
        targets.map(async ({ url, labels }) => {
          const text = await fetch(`${url}/metrics`, { dispatcher, signal: AbortSignal.timeout(10_000) }).then(
            (response) => (response.ok ? response.text() : null),
            () => null,
          );
          return { time, labels, text };
        }),
      )),
    );
  }

  /** Two scrapes: how the state goes on is the difference between them. */
  async scrapeTwice(targets: readonly Target[]): Promise<void> {
    await this.scrape(targets);
    await sleep(intervalMs);
    await this.scrape(targets);
  }

  async write(): Promise<void> {
    await writeRecording({ name: this.#name, scrapes: this.#scrapes });
  }
}
