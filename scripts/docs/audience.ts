import type { ParsedPage } from "./page-parser.ts";

/** For whom a page is, and what its reader does with it. */
export interface Audience {
  readonly reader: Reader;
  /** One sentence, which begins with a verb. */
  readonly task: string;
}

/** Those who read the documentation. A page is for one of them. */
export const readers = ["platform engineers", "application developers", "security reviewers", "contributors"] as const;
export type Reader = (typeof readers)[number];

const firstLine = new RegExp(`^# .*\\n\\nFor \\*\\*(${readers.join("|")})\\*\\*: (.+?\\.)(?:\\s|$)`, "s");

/** Reads the first line of a page: `For **READER**: TASK.` @returns undefined if it has another form */
export function audienceOf({ source }: ParsedPage): Audience | undefined {
  const [, reader, task = ""] = firstLine.exec(source.text) ?? [];
  return reader === undefined ? undefined : { reader: reader as Reader, task: task.replaceAll("\n", " ") };
}
