import type { Random } from "./random.ts";

/** The characters to draw from: ASCII, and some of more than one byte. */
const alphabet = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index)),
  "é",
  "ß",
  "Ω",
  "字",
  "😀",
  "\u202e",
  "\u0301",
];

/** An unbounded repetition is drawn at most this much longer than its minimum. */
const longestRun = 12;

/**
 * A text that a pattern of JSON Schema matches. It supports what the patterns of the contract use: classes, groups,
 * alternatives, repetitions and anchors.
 * @throws {Error} if the pattern uses another feature
 */
export function textOfPattern(pattern: string, random: Random): string {
  const reader = new PatternReader(pattern, random);
  const text = reader.alternatives();
  if (!new RegExp(pattern, "u").test(text))
    throw new Error(`unsupported pattern ${pattern}: it does not match ${JSON.stringify(text)}`);
  return text;
}

/** Parses a pattern and draws a matching text at the same time. */
class PatternReader {
  readonly #pattern: string;
  readonly #random: Random;
  #at = 0;

  constructor(pattern: string, random: Random) {
    this.#pattern = pattern;
    this.#random = random;
  }

  alternatives(): string {
    const texts = [this.#sequence()];
    while (this.#take("|")) texts.push(this.#sequence());
    return this.#random.pick(texts);
  }

  #sequence(): string {
    let text = "";
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#pattern[this.#at] ?? "")) text += this.#repeated();
    return text;
  }

  /** An atom with its repetition. The atom is parsed again for each repetition, to draw each one independently. */
  #repeated(): string {
    if (this.#take("^") || this.#take("$")) return "";
    const start = this.#at;
    let text = this.#atom();
    const end = this.#at;
    const [least, most] = this.#repetition();
    const after = this.#at;
    const times = this.#random.int(least, Math.max(least, Math.min(most, least + longestRun)));
    if (times === 0) text = "";
    for (let time = 1; time < times; time++) {
      this.#at = start;
      text += this.#atom();
      if (this.#at !== end) throw this.#unsupported();
    }
    this.#at = after;
    return text;
  }

  #repetition(): [least: number, most: number] {
    if (this.#take("+")) return [1, Number.POSITIVE_INFINITY];
    if (this.#take("*")) return [0, Number.POSITIVE_INFINITY];
    if (this.#take("?")) return [0, 1];
    const found = /^\{(\d+)(,?)(\d*)\}/.exec(this.#pattern.slice(this.#at));
    if (found === null) return [1, 1];
    this.#at += found[0].length;
    const least = Number(found[1]);
    if (found[2] === "") return [least, least];
    return [least, found[3] === "" ? Number.POSITIVE_INFINITY : Number(found[3])];
  }

  #atom(): string {
    if (this.#take("(")) {
      if (!this.#take("?:") && this.#take("?")) throw this.#unsupported();
      const text = this.alternatives();
      if (!this.#take(")")) throw this.#unsupported();
      return text;
    }
    const rest = this.#pattern.slice(this.#at);
    const [single = ""] = /^(\[(\\.|[^\]])*\]|\\p\{\w+\}|\\u[0-9a-f]{4}|\\.|.)/iu.exec(rest) ?? [];
    this.#at += single.length;
    const matches = new RegExp(`^${single}$`, "u");
    return this.#random.pick(alphabet.filter((character) => matches.test(character)));
  }

  #unsupported(): Error {
    return new Error(`unsupported pattern ${this.#pattern}`);
  }

  #take(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}
