import { inspect } from "node:util";
import type { Result, Verdict } from "./run.ts";
import { nameOf, type Trial } from "./suite.ts";

const labels = { passed: "ok  ", failed: "FAIL", skipped: "skip" } as const satisfies Record<Verdict["kind"], string>;

/** Lines for a person, section by section. */
export class Report {
  readonly #write: (text: string) => void;
  readonly #redact: (text: string) => string;
  #section = "";

  /** @param redact takes secrets out of a text */
  constructor(write: (text: string) => void, redact: (text: string) => string) {
    this.#write = write;
    this.#redact = redact;
  }

  add({ trial, verdict, milliseconds }: Result): void {
    this.#head(trial);
    const reason = verdict.kind === "skipped" ? `: ${verdict.reason}` : "";
    this.#write(`  ${labels[verdict.kind]} ${nameOf(trial)}${reason} [${milliseconds.toFixed(0)} ms]\n`);
    if (verdict.kind !== "failed") return;
    const { what, compared, exchanges } = verdict;
    this.#lines("sentence", trial.sentence.says);
    this.#lines("what", what);
    for (const { sent, came } of exchanges) {
      this.#lines("sent", sent);
      this.#lines("came", came);
    }
    if (compared === undefined) return;
    this.#lines("got", this.#shown(compared.came));
    this.#lines("expected", this.#shown(compared.expected));
  }

  /** A case that is named alone, and not run. */
  list(trial: Trial): void {
    this.#head(trial);
    this.#write(`  ${nameOf(trial)}\n`);
  }

  #head({ chapter }: Trial): void {
    if (chapter.title === this.#section) return;
    this.#section = chapter.title;
    this.#write(`${chapter.title}\n`);
  }

  #lines(label: string, text: string): void {
    for (const [index, line] of text.split("\n").entries())
      this.#write(`         ${(index === 0 ? `${label}:` : "").padEnd(10)}${line}\n`);
  }

  #shown(value: unknown): string {
    return this.#redact(inspect(value, { depth: 6, breakLength: 100 }));
  }
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function count(results: readonly Result[]): Counts {
  const of = (kind: Verdict["kind"]) => results.filter(({ verdict }) => verdict.kind === kind).length;
  return { passed: of("passed"), failed: of("failed"), skipped: of("skipped") };
}

/** The last lines: how many, and loudly what was not tried. */
export function summaryOf(results: readonly Result[], selected: number): string {
  const { passed, failed, skipped } = count(results);
  const reasons = new Map<string, number>();
  for (const { verdict } of results)
    if (verdict.kind === "skipped") reasons.set(verdict.reason, (reasons.get(verdict.reason) ?? 0) + 1);
  const lines = [...reasons].map(([reason, times]) => `SKIPPED ${times}: ${reason}`);
  if (results.length < selected) lines.push(`ENDED EARLY: ${selected - results.length} cases did not run`);
  return [...lines, `${passed} passed, ${failed} failed, ${skipped} skipped`].map((line) => `${line}\n`).join("");
}

/** For programs: every case and how it went. */
export function jsonOf(url: string, results: readonly Result[], redact: (text: string) => string): string {
  const cases = results.map(({ trial, verdict, milliseconds }) => ({
    sentence: trial.sentence.id,
    name: trial.tried.name,
    transport: trial.transport,
    ...verdict,
    milliseconds: Math.round(milliseconds),
  }));
  return `${redact(JSON.stringify({ url, ...count(results), cases }, undefined, 2))}\n`;
}
