import type { FaultRule } from "./fault-rule.ts";

/** A rule and the number of calls that it was applied to. */
export interface FaultCount {
  readonly rule: FaultRule;
  readonly struck: number;
}

/** The active fault rules, in order. The first rule that matches a call is applied to it. */
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

  /** The rule that applies to this call of the operation; counts it. */
  ruleFor(operation: string): FaultRule | undefined {
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
