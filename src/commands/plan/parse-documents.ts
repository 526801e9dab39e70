import { Composer, type CST, Lexer, LineCounter, Parser } from "yaml";
import { yamlMistake } from "#src/text/yaml-mistake.ts";

/** A document of a file. */
export interface ParsedDocument {
  /** The line of the file in which its content begins. */
  readonly line: number;
  readonly value: unknown;
  /** Why it is not valid, instead of its value. */
  readonly error?: string;
}

/** More aliases than this are an attack on the memory. */
const maxAliasCount = 100;
/**
 * The symbols of one document of YAML, which take up to 700 bytes each: a List of 12,000 objects of ordinary size. More make an
 * attack on the memory, such as millions of aliases.
 */
const defaultSymbols = 2_500_000;
/** No manifest is nested as deeply; what is deeper than the stack would end the command. */
const maxDepth = 100;
const tooDeep = `it is nested deeper than ${maxDepth} levels`;

/** A document of YAML that does not fit into the memory. */
class TooLarge extends Error {
  readonly line: number;

  constructor(line: number) {
    super("it is too large for YAML: write a List as JSON, or each object as a document of its own");
    this.line = line;
  }
}

/**
 * The documents of a file of YAML or JSON, one after the other: what a document was parsed from, which takes many times the memory
 * of the file, is not kept while the next one is parsed. A document that is too large is the last one.
 */
export function* parseDocuments(text: string, maxSymbols = defaultSymbols): Generator<ParsedDocument> {
  const json = jsonOf(text);
  if (json !== undefined) {
    yield { line: 1, ...checked(json.value) };
    return;
  }
  const lines = new LineCounter();
  try {
    for (const document of new Composer().compose(symbolsOf(text, lines, maxSymbols))) {
      const { line } = lines.linePos(document.contents?.range?.[0] ?? document.range[0]);
      const [error] = document.errors;
      yield error === undefined
        ? { line, ...valueOf(() => document.toJS({ maxAliasCount })) }
        : { line, value: undefined, error: `${reasonOf(error)} (line ${lines.linePos(error.pos[0]).line})` };
    }
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    yield { line: error.line, value: undefined, error: error.message };
  }
}

/** The syntax of the documents, none of which has more symbols than fit into the memory. @throws {TooLarge} */
function* symbolsOf(text: string, lines: LineCounter, maxSymbols: number): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let symbols = 0;
  let start = 0;
  for (const symbol of new Lexer().lex(text)) {
    if ((symbols += 1) > maxSymbols) throw new TooLarge(lines.linePos(start).line);
    for (const token of parser.next(symbol)) {
      if (token.type === "document") {
        symbols = 0;
        start = parser.offset;
      }
      yield token;
    }
  }
  yield* parser.end();
}

/** The value of a document, or that its aliases are too many. */
function valueOf(convert: () => unknown): Omit<ParsedDocument, "line"> {
  try {
    return checked(convert());
  } catch (error) {
    return { value: undefined, error: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The parser and the conversion go down to the end of the stack.
  return error.message.includes("call stack") ? tooDeep : yamlMistake(error);
}

/** The value, unless it is nested too deeply. */
function checked(value: unknown): Omit<ParsedDocument, "line"> {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return { value: undefined, error: tooDeep };
    level = level.flatMap((node) => (typeof node === "object" && node !== null ? Object.values(node) : []));
  }
  return { value };
}

/** JSON is YAML, too, but takes a tenth of the memory as what it is. */
function jsonOf(text: string): { readonly value: unknown } | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
