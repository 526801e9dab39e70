import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodersIn } from "./decoders.ts";
import type { Findings } from "./findings.ts";
import { Random } from "./random.ts";

export interface DecoderFuzzing {
  readonly seed: number;
  readonly rounds: number;
  /** The time limit of each decoding in milliseconds. */
  readonly timeLimit: number;
  readonly findings: Findings;
}

/**
 * Calls the platform's decoders in this process with inputs that are almost valid: a request cannot reach each of them
 * directly.
 */
export function fuzzDecoders({ seed, rounds, timeLimit, findings }: DecoderFuzzing): void {
  const folder = mkdtempSync(join(tmpdir(), "muster-fuzz-"));
  try {
    const decoders = decodersIn(folder);
    for (let number = 1; number <= rounds; number++) {
      const random = new Random(seed, `decoder ${number}`);
      const { name, draw, decode } = random.pick(decoders);
      const input = draw(random);
      const started = performance.now();
      let problem: string | undefined;
      try {
        problem = decode(input);
      } catch (error) {
        problem = `throws ${String(error)}`;
      }
      const duration = performance.now() - started;
      if (duration > timeLimit) problem = `takes ${Math.round(duration)} ms`;
      const reproduction = JSON.stringify(input.toString().slice(0, 2_000));
      if (problem !== undefined) findings.add({ number, kind: "decoder", subject: name, problem, reproduction });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
