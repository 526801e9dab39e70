import { type DocumentText, maximumDocument, tooLarge } from "./document-text.ts";

const begins = /^---(\s|$)/;
const ends = /^\.\.\.(\s|$)/;
/** A line before the content of a document: blank, a comment or a directive. */
const prologue = /^(\s*(#.*)?|%.*)$/;

/**
 * Splits YAML into documents, with one in memory at a time. A marker at the beginning of a line ends a document even inside a
 * block scalar, so it is enough to look at lines.
 * @throws UnreadableText if a document is too large
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
      // Directives before the marker belong to the document; comments do not.
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
    // A line is part of one document, so the same limit applies.
    if (rest.length > maximumDocument) throw tooLarge(1);
    yield* lines;
  }
  if (rest !== "") yield rest;
}
