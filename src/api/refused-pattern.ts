/** Syntax of a pattern that is refused where its beginning has to be certain. */
export interface PatternRefusal {
  /** Such as "\Q...\E quoting". */
  readonly construct: string;
  /** Where it begins: the number of the character in the pattern, from 1. */
  readonly position: number;
  /** How to write it: sentences. */
  readonly instead: string;
}

/** Such as "it contains a ) without its ( at character 5. Write \\) for the character." */
export function refusalText({ construct, position, instead }: PatternRefusal): string {
  return `it contains ${construct} at character ${position}. ${instead}`;
}

/** They could break the line of a comment in a manifest. */
const invisible = /[\p{C}\p{Zl}\p{Zp}]/gu;

export class Refused extends Error {
  readonly refusal: PatternRefusal;

  /** @param at the index in the pattern */
  constructor(pattern: string, at: number, construct: string, instead: string) {
    super(construct);
    const position = Array.from(pattern.slice(0, at)).length + 1;
    this.refusal = { construct: construct.replace(invisible, "\u{FFFD}"), position, instead };
  }
}

/** Why the escape at an index of a pattern is refused. */
export function refusedEscape(pattern: string, at: number): Refused {
  const escaped = String.fromCodePoint(pattern.codePointAt(at + 1) ?? 0x20);
  const refused = (construct: string, instead: string) => new Refused(pattern, at, construct, instead);
  if (at + 1 === pattern.length) return refused("a backslash at the end", "Write \\\\ for the character.");
  if (/[QE]/.test(escaped))
    return refused("\\Q...\\E quoting", "Write the text without \\Q and \\E, with a backslash before punctuation.");
  if (/[AzZ]/.test(escaped))
    return refused(`the anchor \\${escaped}`, "Leave it out: a pattern matches the whole text.");
  if (/[bB]/.test(escaped))
    return refused(`the word boundary \\${escaped}`, "Leave it out, and write the characters around it.");
  if (/[pP]/.test(escaped))
    return refused(`the Unicode class \\${escaped}`, "List the characters in brackets, such as [a-z].");
  if (/[0-9A-Za-z]/.test(escaped))
    return refused(`the escape \\${escaped}`, "Write the character itself, or . for any character.");
  return refused(`the escape \\${escaped}`, "Write the character without the backslash.");
}

/** Why the group at an index of a pattern is refused. */
export function refusedGroup(pattern: string, at: number): Refused {
  const rest = pattern.slice(at);
  const refused = (construct: string, instead: string) => new Refused(pattern, at, construct, instead);
  const [named] = /^\(\?P?<\w{1,32}>?/.exec(rest) ?? [];
  if (named !== undefined) return refused(`the named group ${named}`, "Write (?: instead of it.");
  const [flags] = /^\(\?(?!P)[A-Za-z-]{1,16}[:)]?/.exec(rest) ?? [];
  if (flags === undefined) return refused(`the group ${rest.slice(0, 3)}`, "Write (...) or (?:...).");
  return flags.includes("i")
    ? refused(`the flag ${flags}`, "Leave it out, and write the letters that may be upper or lower case as [Aa].")
    : refused(`the flag ${flags}`, "Leave it out.");
}
