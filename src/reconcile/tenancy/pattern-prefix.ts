/**
 * With what the matches of an RE2 pattern begin. A pattern must match the whole text, as on the platform.
 *
 * Guarantee (sound): every text that the pattern matches begins with one of the returned texts. The analysis follows
 * literals, groups and alternations, and stops at everything else: it returns a shorter text, or undefined, where it is in
 * doubt. Takes time linear in the length of the pattern.
 */

/** The first characters of a match. If `exact`, they are all of it, so that what follows in the pattern comes next. */
interface Beginning {
  readonly text: string;
  readonly exact: boolean;
}

/** More alternatives than this are cut to what they have in common with everything: nothing. */
const maxAlternatives = 64;
const nothing: readonly Beginning[] = [{ text: "", exact: true }];
const anything: readonly Beginning[] = [{ text: "", exact: false }];

/** The texts with one of which every match begins; undefined if the pattern uses syntax that is not analyzed. */
export function beginningsOf(pattern: string): readonly string[] | undefined {
  const parser = new Parser(pattern);
  try {
    return parser.parse().map(({ text }) => text);
  } catch (error) {
    if (error instanceof NotAnalyzed) return undefined;
    throw error;
  }
}

/** Whether every match of `pattern` begins with one of `prefixes`. False where that is in doubt. */
export function everyMatchBegins(pattern: string, prefixes: readonly string[]): boolean {
  const beginnings = beginningsOf(pattern);
  return beginnings !== undefined && beginnings.every((text) => prefixes.some((prefix) => text.startsWith(prefix)));
}

class NotAnalyzed extends Error {}

class Parser {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  parse(): readonly Beginning[] {
    // Dots and laziness do not matter here. Other flags do: ignoring the case, for one.
    this.#take(/\(\?[sU]+\)/y);
    const beginnings = this.#alternation();
    if (this.#at < this.#pattern.length) throw new NotAnalyzed();
    return beginnings;
  }

  #alternation(): readonly Beginning[] {
    const alternatives = [...this.#sequence()];
    while (this.#take(/\|/y) !== undefined) alternatives.push(...this.#sequence());
    return bounded(alternatives);
  }

  #sequence(): readonly Beginning[] {
    let sequence = nothing;
    for (let atom = this.#atom(); atom !== undefined; atom = this.#atom())
      sequence = concatenated(sequence, this.#quantified(atom));
    return sequence;
  }

  /** Undefined at the end of a sequence. */
  #atom(): readonly Beginning[] | undefined {
    const next = this.#pattern[this.#at];
    switch (next) {
      case undefined:
      case "|":
      case ")":
        return undefined;
      case "(":
        return this.#group();
      case "[":
        return this.#characterClass();
      case "\\":
        return this.#escape();
      case "^":
      case "$":
        this.#at += 1;
        return nothing;
      case ".":
        this.#at += 1;
        return anything;
      case "*":
      case "+":
      case "?":
        throw new NotAnalyzed();
      default: {
        const character = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
        this.#at += character.length;
        return literal(character);
      }
    }
  }

  #group(): readonly Beginning[] {
    if (this.#take(/\((?!\?)|\(\?:|\(\?P?<\w+>/y) === undefined) throw new NotAnalyzed();
    const beginnings = this.#alternation();
    if (this.#take(/\)/y) === undefined) throw new NotAnalyzed();
    return beginnings;
  }

  #characterClass(): readonly Beginning[] {
    const single = this.#take(/\[(?:[^\\\]^[-]|\\[^\w\s])\]/y);
    if (single !== undefined) return literal(single.slice(1, -1).replace(/^\\/, ""));
    // A bracket that comes first is a member. A class such as [:alpha:] contains brackets.
    const members = /\[\^?\]?(?:\[:\^?[a-z]+:\]|\\(?:[\s\S])|[^\\\]])*\]/y;
    if (this.#take(members) === undefined) throw new NotAnalyzed();
    return anything;
  }

  #escape(): readonly Beginning[] {
    const quoted = this.#take(/\\Q(?:(?!\\E)[\s\S])*(?:\\E)?/y);
    if (quoted !== undefined) {
      const text = quoted.slice(2).replace(/\\E$/, "");
      // A quantifier after it applies to the last character only.
      if (/[*+?{]/.test(this.#pattern[this.#at] ?? "")) return anything;
      return literal(text);
    }
    const code = this.#take(/\\x(?:[0-9A-Fa-f]{2}|\{[0-9A-Fa-f]{1,6}\})/y);
    if (code !== undefined) {
      const point = Number.parseInt(code.replace(/[\\x{}]/g, ""), 16);
      if (point > 0x10_ffff) throw new NotAnalyzed();
      return literal(String.fromCodePoint(point));
    }
    if (this.#take(/\\[AzbB]/y) !== undefined) return nothing;
    if (this.#take(/\\(?:[dDsSwWC]|[pP](?:\{\^?\w+\}|[A-Z]))/y) !== undefined) return anything;
    const punctuation = this.#take(/\\[!-/:-@[-^`{-~]/y);
    if (punctuation === undefined) throw new NotAnalyzed();
    return literal(punctuation.slice(1));
  }

  /** The beginnings of the repeated atom. */
  #quantified(atom: readonly Beginning[]): readonly Beginning[] {
    const quantifier = this.#take(/[*+?]|\{\d+(?:,\d*)?\}/y);
    if (quantifier === undefined) return atom;
    this.#take(/\?/y);
    // RE2 rejects a second quantifier.
    if (this.#take(/[*+?]|\{\d+(?:,\d*)?\}/y) !== undefined) throw new NotAnalyzed();
    if (quantifier === "?") return bounded([...nothing, ...atom]);
    if (quantifier === "*" || /^\{0+[,}]/.test(quantifier)) return anything;
    return atom.map(({ text }) => ({ text, exact: false }));
  }

  #take(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    const [taken] = expression.exec(this.#pattern) ?? [];
    if (taken !== undefined) this.#at += taken.length;
    return taken;
  }
}

function literal(text: string): readonly Beginning[] {
  return [{ text, exact: true }];
}

function concatenated(first: readonly Beginning[], second: readonly Beginning[]): readonly Beginning[] {
  if (first.every(({ exact }) => !exact)) return first;
  if (first.length * second.length > maxAlternatives) return first.map(({ text }) => ({ text, exact: false }));
  return first.flatMap((one) =>
    one.exact ? second.map(({ text, exact }) => ({ text: one.text + text, exact })) : [one],
  );
}

function bounded(alternatives: readonly Beginning[]): readonly Beginning[] {
  return alternatives.length > maxAlternatives ? anything : alternatives;
}
