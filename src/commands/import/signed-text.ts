import { hash } from "node:crypto";

/**
 * - `unedited`: import wrote the text for this group, and nobody changed it.
 * - `edited`: somebody changed it since.
 * - `anotherGroup`: import wrote it for another group.
 * - `foreign`: import did not write it.
 */
export type TextOrigin = "unedited" | "edited" | "anotherGroup" | "foreign";

const header =
  /^# Written by muster import of (?<group>[0-9a-f/]+); the next import replaces it unless it was edited\. sha256:(?<digest>[0-9a-f]{64})\n/;

/** `text` below a comment by which `originOf` recognizes it. */
export function signedText(text: string, group: string): string {
  return `# Written by muster import of ${group}; the next import replaces it unless it was edited. sha256:${digestOf(text, group)}\n${text}`;
}

/** Who wrote the text of a file. @param group the uid of the group that is imported */
export function originOf(text: string, group: string): TextOrigin {
  const match = header.exec(text);
  if (match?.groups === undefined) return "foreign";
  if (match.groups["group"] !== group) return "anotherGroup";
  return match.groups["digest"] === digestOf(text.slice(match[0].length), group) ? "unedited" : "edited";
}

function digestOf(text: string, group: string): string {
  return hash("sha256", `${group}\n${text}`, "hex");
}
