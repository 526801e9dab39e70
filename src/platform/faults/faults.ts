import type { FaultRule } from "./fault-rule.ts";

/** A rule, and how often it has struck. */
export interface FaultCount {
  readonly rule: FaultRule;
  readonly struck: number;
}

/** The rules in force, in order: of those that match a call the first strikes. */
export class Faults {
  readonly #random: () => number;
  #rules: { readonly rule: FaultRule; struck: number }[] = [];

  constructor(rules: readonly FaultRule[], random: () => number = Math.random) {
    this.#random = random;
    this.add(rules);
  }

  add(rules: readonly FaultRule[]): void {
    this.#rules.push(...rules.map((rule) => ({ rule, struck: 0 })));
  }

  clear(): void {
    this.#rules = [];
  }

  list(): readonly FaultCount[] {
    return this.#rules;
  }

  /** What is to happen to a call of the operation. */
  strike(operation: string): FaultRule | undefined {
    for (const entry of this.#rules) {
      const { rule, struck } = entry;
      if (rule.count !== undefined && struck >= rule.count) continue;
      if (!rule.method.test(operation) || this.#random() >= rule.share) continue;
      entry.struck++;
      return rule;
    }
    return undefined;
  }
}
