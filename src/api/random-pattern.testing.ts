/** A random pattern of RE2, with texts that it may match. */
export interface RandomPattern {
  readonly source: string;
  /** A text that the pattern matches, if it means what its parts mean one by one; with parts left out, perhaps another one. */
  readonly text: (leaveOut: number) => string;
}

type Next = () => number;

/**
 * A pattern with any of RE2's syntax: quotes, escapes, flags, named and empty groups, classes of all kinds, anchors, counted, lazy and
 * nested repetitions, braces that are literal text. Some are invalid. Half of them have one unusual part at their beginning.
 */
export function randomPattern(next: Next): RandomPattern {
  const pattern = next() < 0.5 ? unusualBeginning(next) : usualBeginning(next);
  return next() < 0.1 ? { ...pattern, source: mutated(next, pattern.source) } : pattern;
}

function usualBeginning(next: Next): RandomPattern {
  const unusual = next() < 0.5 ? 0 : next() < 0.7 ? 0.1 : 0.4;
  const beginning = next() < 0.5 ? [literal(pick(next, ["ab/", "a", "b:a", "A.b", "é/", "🌂"]))] : [];
  return sequenceOf([...beginning, alternatives(next, 3, unusual)]);
}

/** Literal text and groups of it, with one unusual part anywhere, which may have a quantifier. */
function unusualBeginning(next: Next): RandomPattern {
  const parts = Array.from({ length: 1 + Math.floor(next() * 3) }, () =>
    next() < 0.6 ? literal(pick(next, ["a", "ab", "b/", "A"])) : grouped(next, sequence(next, 1, 0)),
  );
  const unusual = next() < 0.4 ? silent(next) : repeated(next, unusualAtom(next, 1, 0), 0.5);
  parts.splice(Math.floor(next() * (parts.length + 1)), 0, unusual);
  return sequenceOf(next() < 0.5 ? parts : [...parts, one(next, ".*", "ab/")]);
}

const characters = ["a", "b", "/", ":", "-", "A", "é", "🌂", " "];
const punctuation = [".", "*", "(", "[", "\\", "{", "$", "/", "-", "<"];

function alternatives(next: Next, depth: number, unusual: number): RandomPattern {
  const count = next() < 0.8 ? 1 : 1 + Math.floor(next() * 3);
  const each = Array.from({ length: count }, () => sequence(next, depth, unusual));
  return {
    source: each.map(({ source }) => source).join("|"),
    text: (leaveOut) => pick(next, each).text(leaveOut),
  };
}

function sequence(next: Next, depth: number, unusual: number): RandomPattern {
  const length = Math.floor(next() * 4) + (next() < unusual ? 0 : 1);
  const parts: RandomPattern[] = [];
  for (let index = 0; index < length; index += 1) {
    parts.push(repeated(next, atom(next, depth, unusual), unusual));
    // What matches nothing, but may stand between a part and its quantifier.
    if (next() < unusual) parts.push(silent(next));
  }
  return sequenceOf(parts);
}

/** What matches nothing, and may have a quantifier. */
function silent(next: Next): RandomPattern {
  return { source: pick(next, invisible) + (next() < 0.5 ? quantifier(next) : ""), text: () => "" };
}

function grouped(next: Next, { source, text }: RandomPattern): RandomPattern {
  return { source: `${pick(next, ["(", "(?:"])}${source})`, text };
}

const invisible = [
  "\\Q\\E",
  "\\E",
  "(?s)",
  "(?i)",
  "(?U)",
  "(?m)",
  "(?-s)",
  "(?:)",
  "()",
  "(?i:)",
  "(?P<e>)",
  "\\b",
  "\\B",
  "^",
  "$",
  "\\A",
  "\\z",
  "(|)",
];

function atom(next: Next, depth: number, unusual: number): RandomPattern {
  if (next() < unusual) return unusualAtom(next, depth, unusual);
  if (depth > 0 && next() < 0.25) return grouped(next, alternatives(next, depth - 1, unusual));
  return pick(next, [
    () => literal(pick(next, characters)),
    () => literal(pick(next, characters)),
    () => escaped(pick(next, punctuation)),
    () => one(next, ".", "abA/é🌂"),
    () => one(next, "[ab]", "ab"),
    () => one(next, "[^a]", "bA/"),
    () => one(next, "[.]", "."),
    () => one(next, "[\\]a-c]", "]abc"),
    () => one(next, "[/-:-]", "/:-0"),
    () => one(next, pick(next, ["\\w", "[\\w-]"]), "aAb"),
    () => one(next, "\\D", "a/"),
  ])();
}

function unusualAtom(next: Next, depth: number, unusual: number): RandomPattern {
  return pick(next, [
    () => quoted(pick(next, ["", "", "a", "ab", "a|b", "(", "é", "\\"]), "\\E"),
    () => quoted(pick(next, ["", "a"]), ""),
    () => one(next, pick(next, ["\\x61", "\\x{61}", "\\141", "\\a", "\\n", "\\07", "\\C", "\\1", "\\y"]), "a\n\u0007"),
    () => one(next, pick(next, ["\\pL", "\\p{Greek}", "\\PN", "\\p{^Lu}", "\\P{L}"]), "aAα/"),
    () =>
      one(
        next,
        pick(next, [
          "[[:alpha:]]",
          "[[:^alpha:]/]",
          "[]a]",
          "[^]|a]",
          "[a&&b]",
          "[\\Qa\\E]",
          "[\\x61-b]",
          "[a-]",
          "[\\d-]",
          "[é-ü]",
          "[a|b)]",
          "[^^]",
        ]),
        "a]/é-^)bÿ",
      ),
    () => literal(pick(next, ["{", "}", "]", "{,5}", "{01}", "{a}", "{2", "\u{FFFD}", "\u0001"])),
    () => one(next, pick(next, ["\\_", "\\<", "\\ ", "\\é", "\\&", "\\'"]), "_< é&'"),
    () => ({ source: pick(next, invisible), text: () => "" }),
    () => wrapped(pick(next, ["(?P<a>", "(?<b>", "(?i:", "(?s:", "(?U:", "(?m-s:", "(?=", "(?>", "(?#"])),
  ])();

  function wrapped(opening: string): RandomPattern {
    const inner = alternatives(next, Math.max(0, depth - 1), unusual);
    const change = opening.includes("i") ? (text: string) => (next() < 0.5 ? text.toUpperCase() : text) : undefined;
    return { source: `${opening}${inner.source})`, text: (leaveOut) => (change ?? String)(inner.text(leaveOut)) };
  }
}

function repeated(next: Next, part: RandomPattern, unusual: number): RandomPattern {
  if (next() < 0.6) return part;
  const suffix = quantifier(next) + (next() < unusual ? pick(next, ["?", "?", "*", "{2}"]) : "");
  return {
    source: part.source + suffix,
    text: (leaveOut) => Array.from({ length: timesOf(next, suffix) }, () => part.text(leaveOut)).join(""),
  };
}

function quantifier(next: Next): string {
  return pick(next, ["*", "+", "?", "{2}", "{0}", "{0,1}", "{1,}", "{1,2}", "{0,}"]);
}

function timesOf(next: Next, suffix: string): number {
  if (suffix.startsWith("{0}")) return 0;
  if (suffix.startsWith("{2}")) return 2;
  return (/^(?:\+|\{1)/.test(suffix) ? 1 : 0) + (next() < 0.5 ? 1 : 0);
}

/** A part may be left out, as if a quantifier that is not its own made it optional: where the bits of `leaveOut` say it. */
function sequenceOf(parts: readonly RandomPattern[]): RandomPattern {
  return {
    source: parts.map(({ source }) => source).join(""),
    text: (leaveOut) => parts.map((part, index) => ((leaveOut >> index) % 2 === 1 ? "" : part.text(leaveOut))).join(""),
  };
}

function literal(text: string): RandomPattern {
  return { source: text, text: () => text };
}

function escaped(character: string): RandomPattern {
  return { source: `\\${character}`, text: () => character };
}

function quoted(text: string, end: string): RandomPattern {
  return { source: `\\Q${text}${end}`, text: () => text };
}

/** One of the characters, of which the class may match some only. */
function one(next: Next, source: string, members: string): RandomPattern {
  return { source, text: () => pick(next, Array.from(members)) };
}

function mutated(next: Next, source: string): string {
  const at = Math.floor(next() * (source.length + 1));
  const inserted = next() < 0.5 ? pick(next, Array.from("\\QE?*+{}()[]|^$.,01a-:<>P=!i")) : "";
  return source.slice(0, at) + inserted + source.slice(at + (next() < 0.5 ? 1 : 0));
}

function pick<Item>(next: Next, items: readonly Item[]): Item {
  const item = items[Math.floor(next() * items.length)];
  if (item === undefined) throw new Error("there is nothing to pick from");
  return item;
}
