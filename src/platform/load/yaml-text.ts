import { type DocumentText, maximumDocument, tooLarge } from "./document-text.ts";

const begins = /^---(\s|$)/;
const ends = /^\.\.\.(\s|$)/;
/** Neither content nor the beginning of a document: blank, a comment, a directive. */
const prologue = /^(\s*(#.*)?|%.*)$/;

/**
 * Cuts YAML into its documents, one in memory at a time. Markers at the beginning of a line end a document wherever
 * they stand, in a block of text too, so lines are all that must be looked at.
 * @throws UnreadableText where a document is too large
 */
export function* yamlDocuments(chunks: Iterable<string>): Generator<DocumentText> {
  let text = "";
  let start = 1;
  let hasContent = false;
  let line = 0;
  for (const current of linesOf(chunks)) {
    line += 1;
    const begin = begins.test(current);
    if (begin && hasContent) {
      yield { text, line: start };
      [text, start, hasContent] = ["", line, false];
    }
    if (ends.test(current)) {
      if (hasContent) yield { text, line: start };
      [text, start, hasContent] = ["", line + 1, false];
      continue;
    }
    if (begin) {
      // Comments in front of it are no part of it; directives are.
      if (!/^%/m.test(text)) [text, start] = ["", line];
      hasContent = true;
    } else hasContent ||= !prologue.test(current);
    text += `${current}\n`;
    if (text.length > maximumDocument) throw tooLarge(start);
  }
  if (hasContent) yield { text, line: start };
}

function* linesOf(chunks: Iterable<string>): Generator<string> {
  let rest = "";
  for (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    // A line without an end is a document without an end: the bound holds for both.
    if (rest.length > maximumDocument) throw tooLarge(1);
    yield* lines;
  }
  if (rest !== "") yield rest;
}
