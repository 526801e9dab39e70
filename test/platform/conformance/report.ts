import { inspect } from "node:util";
import type { Result, Verdict } from "./run.ts";
import { nameOf, type Trial } from "./suite.ts";

const labels = { passed: "ok  ", failed: "FAIL", skipped: "skip" } as const satisfies Record<Verdict["kind"], string>;

/** Reports the results as text, with a heading for each section. */
export class Report {
  readonly #write: (text: string) => void;
  readonly #redact: (text: string) => string;
  #section = "";

  /** @param redact removes secrets from a text */
  constructor(write: (text: string) => void, redact: (text: string) => string) {
    this.#write = write;
    this.#redact = redact;
  }

  add({ trial, verdict, milliseconds }: Result): void {
    this.#heading(trial);
    const reason = verdict.kind === "skipped" ? `: ${verdict.reason}` : "";
    this.#write(`  ${labels[verdict.kind]} ${nameOf(trial)}${reason} [${milliseconds.toFixed(0)} ms]\n`);
    if (verdict.kind !== "failed") return;
    const { what, compared, exchanges } = verdict;
    this.#lines("requirement", trial.requirement.text);
    this.#lines("checked", what);
    for (const { request, response } of exchanges) {
      this.#lines("request", request);
      this.#lines("response", response);
    }
    if (compared === undefined) return;
    this.#lines("actual", this.#shown(compared.actual));
    this.#lines("expected", this.#shown(compared.expected));
  }

  /** Writes the name of a case that does not run. */
  list(trial: Trial): void {
    this.#heading(trial);
    this.#write(`  ${nameOf(trial)}\n`);
  }

  #heading({ section }: Trial): void {
    if (section.title === this.#section) return;
    this.#section = section.title;
    this.#write(`${section.title}\n`);
  }

  #lines(label: string, text: string): void {
    for (const [index, line] of text.split("\n").entries())
      this.#write(`         ${(index === 0 ? `${label}:` : "").padEnd(13)}${line}\n`);
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

/** The last lines of a report: the counts, and the reasons why cases were skipped. */
export function summaryOf(results: readonly Result[], selected: number): string {
  const { passed, failed, skipped } = count(results);
  const reasons = new Map<string, number>();
  for (const { verdict } of results)
    if (verdict.kind === "skipped") reasons.set(verdict.reason, (reasons.get(verdict.reason) ?? 0) + 1);
  const lines = [...reasons].map(([reason, times]) => `SKIPPED ${times}: ${reason}`);
  if (results.length < selected) lines.push(`INTERRUPTED: ${selected - results.length} cases did not run`);
  return [...lines, `${passed} passed, ${failed} failed, ${skipped} skipped`].map((line) => `${line}\n`).join("");
}

/** The results of all cases as one JSON object. */
export function jsonOf(url: string, results: readonly Result[], redact: (text: string) => string): string {
  const cases = results.map(({ trial, verdict, milliseconds }) => ({
    requirement: trial.requirement.id,
    name: trial.testCase.name,
    transport: trial.transport,
    ...verdict,
    milliseconds: Math.round(milliseconds),
  }));
  return `${redact(JSON.stringify({ url, ...count(results), cases }, undefined, 2))}\n`;
}
