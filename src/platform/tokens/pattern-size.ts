/** The weight of `\p{…}`: the ranges of a Unicode class take as much memory and time as a number of characters. */
const unicodeClass = 50;
/** The weight of a range up to a character beyond ASCII in a class that ignores case: each of its characters is folded. */
const foldedRange = 1_000;

const ignoresCase = /\(\?[a-zA-Z]*i/;
/** Without leading zeros: `{01}` is literal text. */
const repetition = /\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\}/y;
const flags = /\(\?[a-zA-Z-]*\)/y;
const group = /\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*:?))?/y;
const escape = /\\(?:[pP](?:\{[^}]*\}|.)?|x(?:\{[^}]*\}|..)?|.)?/suy;

/**
 * Estimates how much work it is to compile an RE2 pattern, without compiling it: about the number of its instructions after
 * its repetitions are written out, and more for classes that are expensive. Valid patterns are never much larger than this.
 * Takes time linear in the length of the pattern.
 */
export function expandedSize(pattern: string): number {
  const range = ignoresCase.test(pattern) ? foldedRange : 1;
  /** The sizes of the groups that are open, innermost last. */
  const open: number[] = [];
  let size = 0;
  /** The size of the last item: what a repetition repeats. */
  let last = 0;
  /** The weights of the classes. A repetition repeats only the instruction of a class. */
  let classes = 0;
  const add = (item: number) => {
    last = item;
    size += item;
  };
  for (let at = 0; at < pattern.length; ) {
    const character = pattern.charAt(at);
    if (pattern.startsWith("\\Q", at)) {
      const close = pattern.indexOf("\\E", at + 2);
      const until = close === -1 ? pattern.length : close;
      // A quantifier after an empty quote, or after flags, repeats what is before them.
      if (until > at + 2) last = 1;
      size += until - at - 2;
      at = until + 2;
      continue;
    }
    const flagged = lengthOf(flags, pattern, at);
    if (flagged > 0) {
      at += flagged;
      continue;
    }
    repetition.lastIndex = at;
    const repeats = repetition.exec(pattern);
    if (repeats !== null) {
      const [text, least = "", comma, most = ""] = repeats;
      const times = Math.max(Number(least), Number(most), 1);
      const repeated = last * times + (comma === undefined ? 0 : times);
      size += repeated - last;
      last = repeated;
      at += text.length;
      continue;
    }
    switch (character) {
      case "\\": {
        const escaped = Math.max(1, lengthOf(escape, pattern, at));
        if (/[pP]/.test(pattern.charAt(at + 1))) classes += unicodeClass;
        add(1);
        at += escaped;
        continue;
      }
      case "[": {
        const found = classAt(pattern, at, range);
        classes += found.weight;
        add(1);
        at += found.length;
        continue;
      }
      case "(":
        open.push(size);
        size = 0;
        last = 0;
        at += lengthOf(group, pattern, at);
        continue;
      case ")":
        last = size + 2;
        size = (open.pop() ?? 0) + last;
        break;
      case "*":
      case "+":
      case "?":
        size += 1;
        last += 1;
        break;
      case "|":
        add(2);
        break;
      default:
        add(1);
    }
    at += 1;
  }
  return open.reduce((sum, outer) => sum + outer, size + classes);
}

/** The weight of the class that begins at an index, and its length in the pattern. */
function classAt(pattern: string, start: number, range: number): { weight: number; length: number } {
  let weight = 0;
  let at = start + 1;
  if (pattern.charAt(at) === "^") at += 1;
  // A bracket at the beginning of a class is one of its characters.
  for (let first = true; at < pattern.length && (first || pattern.charAt(at) !== "]"); first = false) {
    const endsRange = pattern.charAt(at - 1) === "-";
    if (pattern.charAt(at) === "\\") {
      const kind = pattern.charAt(at + 1);
      if (/[pP]/.test(kind)) weight += unicodeClass;
      else if (endsRange && /[x0-9]/.test(kind)) weight += range;
      at += Math.max(1, lengthOf(escape, pattern, at));
    } else {
      if (endsRange && pattern.charCodeAt(at) > 0x7f) weight += range;
      at += 1;
    }
  }
  return { weight, length: at + 1 - start };
}

function lengthOf(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0].length ?? 0;
}
