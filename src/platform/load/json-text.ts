import { type DocumentText, maximumDocument, tooLarge, UnreadableText } from "./document-text.ts";

const quote = 0x22;
const backslash = 0x5c;
const newline = 0x0a;
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);
/** Characters between documents: white space and, in an array, commas. */
const between = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c]);

/**
 * Splits JSON into documents, with one in memory at a time: a single object, consecutive objects (JSON Lines), or an array
 * of objects. It only counts brackets outside strings; the parser validates the documents.
 * @throws UnreadableText if a document is not an object, or the text ends within a document
 */
export function* jsonDocuments(chunks: Iterable<string>): Generator<DocumentText> {
  const state = { line: 1, start: 1, depth: 0, inString: false, escaped: false, array: "none" as ArrayState };
  let text = "";
  for (const chunk of chunks) {
    let from = state.depth > 0 ? 0 : -1;
    for (let at = 0; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at);
      if (code === newline) state.line += 1;
      if (state.depth === 0) {
        if (between.has(code)) continue;
        if (chunk[at] === "[" && state.array === "none") state.array = "open";
        else if (chunk[at] === "]" && state.array === "open") state.array = "closed";
        else if (chunk[at] === "{" && state.array !== "closed") {
          if (state.array === "none") state.array = "without";
          state.depth = 1;
          state.start = state.line;
          from = at;
        } else throw new UnreadableText(state.line, "a document must be an object");
      } else if (state.inString) {
        if (state.escaped) state.escaped = false;
        else if (code === backslash) state.escaped = true;
        else if (code === quote) state.inString = false;
      } else if (code === quote) state.inString = true;
      else if (opening.has(code)) state.depth += 1;
      else if (closing.has(code)) {
        state.depth -= 1;
        if (state.depth > 0) continue;
        text += chunk.slice(from, at + 1);
        if (text.length > maximumDocument) throw tooLarge(state.start);
        yield { text, line: state.start };
        text = "";
        from = -1;
      }
    }
    if (from >= 0) text += chunk.slice(from);
    if (text.length > maximumDocument) throw tooLarge(state.start);
  }
  if (state.depth > 0) throw new UnreadableText(state.start, "the file ends within this document");
  if (state.array === "open") throw new UnreadableText(state.line, "the file ends within its array");
}

/** Whether the documents are in an array; `without` if the first one is not. */
type ArrayState = "none" | "without" | "open" | "closed";
