// Expressions, in RE2, that recognize patterns of a simple form by their text, where no program can analyze them: in CEL. A pattern
// that one of them accepts is in the part of RE2 that src/api/certain-pattern.ts analyzes, without groups within groups.

const raw = String.raw;
const punctuation = raw`\\[!"#$%&()*+,./:;=?@[\\\]^{|}~-]`;
const literal = raw`(?:[ !"#%&',/:;<=>@_` + "`" + raw`~0-9A-Za-z-]|${punctuation}|\p{L})`;
const classes = raw`\\[dDsSwW]`;
const range = "[0-9A-Za-z]-[0-9A-Za-z]";
const bracketed = raw`\[\^?(?:${range}|[ -,.-Z_-~]|${punctuation}|${classes})(?:${range}|[ -,.-Z^-~]|${punctuation}|${classes})*-?\]`;
const ascii = raw`(?:[ !"#%&',/:;<=>@_` + "`" + raw`~0-9A-Za-z-]|${punctuation}|[.]|${classes}|${bracketed})`;
const quantifier = raw`(?:[*+?]|\{(?:0|[1-9][0-9]{0,3})(?:,(?:0|[1-9][0-9]{0,3})?)?\})?`;
const inGroup = raw`(?:${ascii}${quantifier}|\p{L})`;
const item = raw`(?:(?:${ascii}|${group(inGroup)})${quantifier}|\p{L})`;
/** What comes after a part that is not repeated. */
const unrepeated = "(?:[^*+?{]|$)";
const nameCharacter = raw`(?:[0-9A-Za-z_-]|\\[.@-])`;
const name = `(?:${nameCharacter}+|${group(nameCharacter)})(?:${nameCharacter}|${group(nameCharacter)}[?]?)*`;

/** Alternatives of literal text, and nothing else: each match is certain as a whole. */
export const wholePattern = raw`^\^?${literal}+(?:\|${literal}+)*\$?$`;

/** A pattern without alternatives outside of groups, so that every match begins as the pattern does. */
export const plainPattern = raw`^\^?${item}+\$?$`;

/** A pattern, known to be plain, that begins with literal text. */
export const begunPattern = raw`^\^?(?:${literal}|${group(literal)})${unrepeated}`;

/**
 * A pattern, known to be plain, of which every match begins with a name.
 * @param form as those of the public issuers: `*` is the name
 */
export function ownedPattern(form: string): string {
  const [before = "", after = ""] = form.split("*").map(asLiteral);
  return raw`^\^?${before}${name}${after}${unrepeated}`;
}

function group(part: string): string {
  return raw`\((?:\?:)?${part}+(?:\|${part}+)*\)`;
}

/** Text as a pattern may have it: with or without a backslash before `:` and `/`. */
function asLiteral(text: string): string {
  return text.replace(/[:/]/g, raw`\\?$&`);
}
