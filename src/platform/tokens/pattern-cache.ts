import { BoundedCache } from "../limits/bounded-cache.ts";
import { compilePattern, type Pattern, type RejectedPattern } from "./pattern.ts";

/** Compiles each pattern once while it is used: compiling takes ten times as long as matching. */
export class PatternCache {
  readonly #compiled = new BoundedCache<string, Pattern | RejectedPattern>({ entries: 10_000, bytes: 8 * 1024 * 1024 });

  /** `undefined` if the pattern is invalid or too large. */
  get(pattern: string): Pattern | undefined {
    let compiled = this.#compiled.get(pattern);
    if (compiled === undefined) {
      compiled = compilePattern(pattern);
      const bytes = compiled.kind === "pattern" ? compiled.bytes : 128;
      this.#compiled.set(pattern, compiled, bytes + 2 * pattern.length);
    }
    return compiled.kind === "pattern" ? compiled : undefined;
  }
}
