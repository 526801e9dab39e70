/** A violation of the platform's contract. */
export interface Finding {
  /** The number of the request, counted from 1 within its kind. */
  readonly number: number;
  readonly kind: "rest" | "rpc" | "bytes" | "decoder" | "final";
  /** The method or decoder that was used. Findings about the same subject are grouped. */
  readonly subject: string;
  readonly problem: string;
  /** How to reproduce it: a shell command, or the input. */
  readonly reproduction: string;
}

/** Groups findings that differ only in names and numbers: the first of a group is reported, the others are counted. */
export class Findings {
  readonly #groups = new Map<string, { readonly first: Finding; count: number }>();
  readonly #onFirst: (finding: Finding) => void;
  #count = 0;

  /** @param onFirst called with the first finding of each group */
  constructor(onFirst: (finding: Finding) => void = () => {}) {
    this.#onFirst = onFirst;
  }

  get count(): number {
    return this.#count;
  }

  add(finding: Finding): void {
    this.#count++;
    const problem = finding.problem.replace(/[0-9a-f]{4,}|\d+|"[^"]*"/g, "…").slice(0, 160);
    const key = `${finding.kind} ${finding.subject} ${problem}`;
    const group = this.#groups.get(key);
    if (group !== undefined) {
      group.count++;
      return;
    }
    this.#groups.set(key, { first: finding, count: 1 });
    this.#onFirst(finding);
  }

  /** The first finding of each group, with the size of the group. */
  *lines(seed: number): Generator<string> {
    for (const { first, count } of this.#groups.values()) {
      const similar = count > 1 ? `; ${count} similar findings` : "";
      yield `${first.kind} request ${first.number} (seed ${seed}${similar}): ${first.subject}: ${first.problem}`;
      yield `  ${first.reproduction}`;
    }
  }
}
