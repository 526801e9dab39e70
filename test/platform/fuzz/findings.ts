/** Something that a platform should not have done. */
export interface Finding {
  /** Which request it was, counted from 1 within its kind. */
  readonly number: number;
  readonly kind: "rest" | "rpc" | "bytes" | "decoder" | "afterwards";
  /** What was asked: findings about the same are told together. */
  readonly about: string;
  readonly what: string;
  /** How to see it again: a line for a shell, or what was sent. */
  readonly how: string;
}

/** Findings that are the same but for names and numbers are one kind of mistake: told once each, and counted. */
export class Findings {
  readonly #byShape = new Map<string, { readonly first: Finding; count: number }>();
  readonly #onFirst: (finding: Finding) => void;
  #count = 0;

  /** @param onFirst told of the first finding of each kind as it is made */
  constructor(onFirst: (finding: Finding) => void = () => {}) {
    this.#onFirst = onFirst;
  }

  get count(): number {
    return this.#count;
  }

  add(finding: Finding): void {
    this.#count++;
    const shape = `${finding.kind} ${finding.about} ${finding.what.replace(/[0-9a-f]{4,}|\d+|"[^"]*"/g, "…").slice(0, 160)}`;
    const known = this.#byShape.get(shape);
    if (known !== undefined) {
      known.count++;
      return;
    }
    this.#byShape.set(shape, { first: finding, count: 1 });
    this.#onFirst(finding);
  }

  /** The first of each kind, with how many there are. */
  *lines(seed: number): Generator<string> {
    for (const { first, count } of this.#byShape.values()) {
      yield `${first.kind} request ${first.number} (seed ${seed}${count > 1 ? `; ${count} like it` : ""}): ${first.about}: ${first.what}`;
      yield `  ${first.how}`;
    }
  }
}
