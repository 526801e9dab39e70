/**
 * A value as YAML that every parser reads alike, in versions 1.1 and 1.2: a text is plain only if nothing could take it for
 * something else, such as `yes`, `1e3` or a date. Characters that people do not see, or that change the direction of text, are escaped.
 *
 * @param value of texts, numbers, booleans, lists and objects without undefined fields
 */
export function manifestText(value: Readonly<Record<string, unknown>>): string {
  return blockOf(value, "");
}

function blockOf(value: object, indent: string): string {
  if (Array.isArray(value)) return value.map((item) => `${indent}- ${itemOf(item, `${indent}  `)}`).join("");
  return Object.entries(value)
    .map(([key, field]) => `${indent}${scalarOf(key)}:${afterKey(field, `${indent}  `)}`)
    .join("");
}

function afterKey(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return ` ${scalarOf(value)}\n`;
  if (Object.keys(value).length === 0) return Array.isArray(value) ? " []\n" : " {}\n";
  return `\n${blockOf(value, indent)}`;
}

function itemOf(item: unknown, indent: string): string {
  return afterKey(item, indent).trimStart();
}

/** Letters, digits and separators, beginning with a letter: not a number, a date or a special value. */
const plain = /^[A-Za-z][\w./-]*$/;
/** What a parser of YAML 1.1 reads as a boolean, as nothing, or as a number without its first digits. */
const special = /^(y|n|yes|no|on|off|true|false|null|e[-\d_]+)$/i;
const invisible = /[[\p{C}\p{Z}]--[ ]]/gv;

function scalarOf(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  if (plain.test(value) && !special.test(value)) return value;
  return JSON.stringify(value).replace(invisible, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
  });
}
