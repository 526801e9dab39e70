import { RE2JS } from "re2js";
import { type PatternRefusal, Refused, refusedEscape, refusedGroup } from "./refused-pattern.ts";

/**
 * With what the matches of a pattern begin, for patterns of which that is certain: a small part of RE2, which every
 * implementation reads in the same way. Everything else is refused by name, because a pattern is judged here, and executed
 * elsewhere.
 *
 * The part: literal text; punctuation after a backslash; `.`; classes in brackets, and `\d \D \s \S \w \W`; groups `(...)` and
 * `(?:...)` that are not empty; alternatives that are not empty; the quantifiers `* + ? {n} {n,} {n,m}`, one after each
 * character, class or group; `^` at the beginning of the pattern, and `$` at its end. A pattern must match the whole text.
 */
export type PatternAnalysis =
  | { readonly is: "certain"; readonly beginnings: readonly Beginning[] }
  | { readonly is: "refused"; readonly refusal: PatternRefusal };

/** The first characters of a match: every match of the pattern begins with one of its beginnings. */
export interface Beginning {
  readonly text: string;
  /** Whether the text is all of the match. */
  readonly isWhole: boolean;
}

/** Takes time linear in the length of the pattern. */
export function analyzePattern(pattern: string): PatternAnalysis {
  try {
    return { is: "certain", beginnings: new Parser(pattern).parse() };
  } catch (error) {
    if (error instanceof Refused) return { is: "refused", refusal: error.refusal };
    throw error;
  }
}

/**
 * Whether a pattern may match the whole of a text, wherever it is executed. What other implementations may read in another way,
 * or compile although RE2 does not here, may.
 */
export function mayMatch(pattern: string, text: string): boolean {
  if (analyzePattern(pattern).is === "refused") return true;
  try {
    return RE2JS.compile(pattern).matches(text);
  } catch {
    return true;
  }
}

/** More alternatives than this are cut to what they have in common with everything: nothing. */
const maxAlternatives = 64;
/** More repetitions are no RE2. */
const maxRepetitions = 1_000;

const nothing: readonly Beginning[] = [{ text: "", isWhole: true }];
const anything: readonly Beginning[] = [{ text: "", isWhole: false }];

const quantifier = /[*+?]|\{[\d,]{0,16}\}/y;
/** RE2 reads a count with a leading zero as literal text. */
const count = /^\{(?<least>0|[1-9]\d{0,3})(?:,(?<most>0|[1-9]\d{0,3})?)?\}$/;
const plain = /[ !"#%&',/:;<=>@_`~0-9A-Za-z-]/y;
/** Without those that are anchors in other dialects, which need no backslash here. */
const escapedPunctuation = /\\[!"#$%&()*+,./:;=?@[\\\]^{|}~-]/y;
const escapedClass = /\\[dDsSwW]/y;
/** Replacement characters match invalid text in some implementations. */
const beyondAscii = /[^\p{ASCII}\p{Cc}\p{Cs}\u{FFFD}]/uy;
const classMember = /[^[\]\\\p{Cc}\P{ASCII}]/uy;

class Parser {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  parse(): readonly Beginning[] {
    this.#take(/\^/y);
    if (this.#at === this.#pattern.length) return nothing;
    const beginnings = this.#alternatives();
    if (this.#at < this.#pattern.length) throw this.#refused("a ) without its (", "Write \\) for the character.");
    return beginnings;
  }

  #alternatives(): readonly Beginning[] {
    const alternatives = [...this.#sequence()];
    while (this.#take(/\|/y) !== undefined) alternatives.push(...this.#sequence());
    return alternatives.length > maxAlternatives ? anything : alternatives;
  }

  #sequence(): readonly Beginning[] {
    const start = this.#at;
    let sequence = nothing;
    while (this.#take(/\$$/y) === undefined && !/^(?:$|[|)])/.test(this.#next)) {
      const atom = this.#at;
      sequence = concatenated(sequence, this.#quantified(this.#atom(), atom));
    }
    if (this.#at === start)
      throw this.#refused("an empty alternative or group", "Write (?:x|y)? for x, y or nothing, and leave () out.");
    return sequence;
  }

  get #next(): string {
    return this.#pattern.charAt(this.#at);
  }

  #atom(): readonly Beginning[] {
    const literal = this.#take(plain) ?? this.#take(escapedPunctuation)?.slice(1) ?? this.#take(beyondAscii);
    if (literal !== undefined) return [{ text: literal, isWhole: true }];
    if (this.#take(/\./y) !== undefined || this.#take(escapedClass) !== undefined) return anything;
    switch (this.#next) {
      case "(":
        return this.#group();
      case "[":
        return this.#class();
      case "\\":
        throw refusedEscape(this.#pattern, this.#at);
      case "*":
      case "+":
      case "?":
        throw this.#refused(
          `the quantifier ${this.#next} after nothing that it could repeat`,
          `Write \\${this.#next} for the character.`,
        );
      case "^":
      case "$":
        throw this.#refused(
          `the anchor ${this.#next} inside of the pattern`,
          `Leave it out: a pattern matches the whole text. Write \\${this.#next} for the character.`,
        );
      case "{":
      case "}":
      case "]":
        throw this.#refused(`a ${this.#next} without a backslash`, `Write \\${this.#next} for the character.`);
      default:
        throw this.#refused("an unprintable or invalid character", "Write . for any character.");
    }
  }

  #group(): readonly Beginning[] {
    const start = this.#at;
    if (this.#take(/\((?:\?:|(?!\?))/y) === undefined) throw refusedGroup(this.#pattern, this.#at);
    const beginnings = this.#alternatives();
    if (this.#take(/\)/y) === undefined)
      throw this.#refused("a ( without its )", "Close the group, or write \\( for the character.", start);
    return beginnings;
  }

  #class(): readonly Beginning[] {
    const start = this.#at;
    const isNegated = this.#take(/\[\^?/y) === "[^";
    if (this.#next === "]") throw this.#refused("a ] at the beginning of a class", "Write \\] for the character.");
    const members: string[] = [];
    while (this.#take(/\]/y) === undefined) members.push(this.#member(start, members.length === 0));
    const [only = ""] = members;
    return !isNegated && members.length === 1 && only.length === 1 ? [{ text: only, isWhole: true }] : anything;
  }

  /** @returns the character, or more than one for a range or an escaped class */
  #member(start: number, isFirst: boolean): string {
    const at = this.#at;
    const named = this.#take(escapedClass);
    const low = named ?? this.#classCharacter(start);
    if (low === "-" && at + 1 === this.#at && !isFirst && this.#next !== "]")
      throw this.#refused("a - between the characters of a class", "Write \\- for the character.", at);
    if (this.#take(/-(?!\])/y) === undefined) return low;
    const high = this.#classCharacter(start);
    if (named !== undefined || high < low)
      throw this.#refused(
        `the range ${this.#pattern.slice(at, this.#at)}`,
        "Write the lower character of a range first, and \\- for the character -.",
        at,
      );
    return `${low}-${high}`;
  }

  #classCharacter(start: number): string {
    const character = this.#take(escapedPunctuation)?.slice(1) ?? this.#take(classMember);
    if (character !== undefined) return character;
    switch (this.#next) {
      case "":
        throw this.#refused("a [ without its ]", "Close the class, or write \\[ for the character.", start);
      case "\\":
        throw refusedEscape(this.#pattern, this.#at);
      case "[":
        throw this.#refused("a [ in a class", "Write \\[ for the character, and a-zA-Z for [:alpha:].");
      case "]":
        throw this.#refused("a range without its end", "Write \\- for the character -.");
      default:
        throw this.#refused(
          "a character in a class that is not printable ASCII",
          "Write alternatives, such as (?:ä|ö), for characters beyond ASCII.",
        );
    }
  }

  /** The beginnings of the repeated atom, which begins at `start`. */
  #quantified(atom: readonly Beginning[], start: number): readonly Beginning[] {
    const isAscii = this.#pattern.charCodeAt(start) < 0x80;
    const at = this.#at;
    const taken = this.#take(quantifier);
    if (taken === undefined) return atom;
    if (!isAscii)
      throw this.#refused(
        `the quantifier ${taken} on a character beyond ASCII`,
        "Put the character into a group, such as (?:ü)*.",
        at,
      );
    const least = this.#leastOf(taken, at);
    const second = this.#take(quantifier);
    if (second !== undefined)
      throw this.#refused(
        `the quantifier ${second} after the quantifier ${taken}`,
        "Leave the ? of a lazy quantifier out: it matches the same. Put what is repeated twice into a group, such as (?:x{2})*.",
        at + taken.length,
      );
    if (taken === "?") return [...nothing, ...atom].length > maxAlternatives ? anything : [...nothing, ...atom];
    return least === 0 ? anything : atom.map(({ text }) => ({ text, isWhole: false }));
  }

  #leastOf(taken: string, at: number): number {
    if (!taken.startsWith("{")) return taken === "+" ? 1 : 0;
    const { least = "", most } = count.exec(taken)?.groups ?? {};
    const highest = Number(most ?? least);
    if (least === "" || highest > maxRepetitions || Number(least) > highest)
      throw this.#refused(
        `the braces ${taken}, which are not {n}, {n,} or {n,m} with numbers up to ${maxRepetitions}`,
        "Write \\{ for the character.",
        at,
      );
    return Number(least);
  }

  #refused(construct: string, instead: string, at = this.#at): Refused {
    return new Refused(this.#pattern, at, construct, instead);
  }

  #take(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    const [taken] = expression.exec(this.#pattern) ?? [];
    if (taken !== undefined) this.#at += taken.length;
    return taken;
  }
}

function concatenated(first: readonly Beginning[], second: readonly Beginning[]): readonly Beginning[] {
  if (first.every(({ isWhole }) => !isWhole)) return first;
  if (first.length * second.length > maxAlternatives) return first.map(({ text }) => ({ text, isWhole: false }));
  return first.flatMap((one) =>
    one.isWhole ? second.map(({ text, isWhole }) => ({ text: one.text + text, isWhole })) : [one],
  );
}
