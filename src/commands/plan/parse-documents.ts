import { Composer, LineCounter, Parser } from "yaml";

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
 * The documents of a file of YAML or JSON, one after the other: what a document was parsed from, which takes many times the memory
 * of the file, is not kept while the next one is parsed.
 */
export function* parseDocuments(text: string): Generator<ParsedDocument> {
  const json = jsonOf(text);
  if (json !== undefined) {
    yield { line: 1, value: json.value };
    return;
  }
  const lines = new LineCounter();
  for (const document of new Composer().compose(new Parser(lines.addNewLine).parse(text))) {
    const { line } = lines.linePos(document.contents?.range?.[0] ?? document.range[0]);
    const [error] = document.errors;
    yield error === undefined
      ? { line, ...valueOf(() => document.toJS({ maxAliasCount })) }
      : { line, value: undefined, error: `${error.message} (line ${lines.linePos(error.pos[0]).line})` };
  }
}

/** The value of a document, or that its aliases are too many. */
function valueOf(convert: () => unknown): Omit<ParsedDocument, "line"> {
  try {
    return { value: convert() };
  } catch (error) {
    return { value: undefined, error: error instanceof Error ? error.message : String(error) };
  }
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
