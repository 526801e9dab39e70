import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { parseDocument } from "yaml";
import { type DocumentText, UnreadableText } from "./document-text.ts";
import { jsonDocuments } from "./json-text.ts";
import { DocumentError, type DocumentLocation } from "./load-error.ts";
import { yamlDocuments } from "./yaml-text.ts";

/** A file to load. */
export interface SourceFile {
  readonly path: string;
  readonly format: "yaml" | "json";
  readonly bytes: number;
}

/** A parsed document with its location. */
export interface SourceDocument {
  readonly location: DocumentLocation;
  readonly value: unknown;
}

const formats: Readonly<Record<string, SourceFile["format"]>> = {
  ".yaml": "yaml",
  ".yml": "yaml",
  ".json": "json",
  ".jsonl": "json",
  ".ndjson": "json",
};

/**
 * Resolves paths to files. A folder stands for the files of a known format directly in it, sorted by name.
 * @throws Error that names the path
 */
export function sourceFiles(paths: readonly string[]): SourceFile[] {
  return paths.flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) throw new Error(`${path}: no such file or folder`);
    if (!stats.isDirectory()) return [sourceFile(path, stats.size)];
    const files = readdirSync(path)
      .filter((name) => formats[extname(name)] !== undefined)
      .toSorted()
      .map((name) => join(path, name));
    if (files.length === 0) throw new Error(`${path}: the folder contains no file with the extension ${known}`);
    return files.map((file) => sourceFile(file, statSync(file).size));
  });
}

const known = Object.keys(formats).join(", ");

function sourceFile(path: string, bytes: number): SourceFile {
  const format = formats[extname(path)];
  if (format === undefined) throw new Error(`${path}: the file extension must be one of ${known}`);
  return { path, format, bytes };
}

/**
 * The documents of a file, with one in memory at a time. It reads synchronously, so the caller must yield to the event loop
 * between documents.
 * @param onRead called with the number of bytes of each read
 * @returns an error instead of each document that cannot be parsed
 */
export function* documentsOf(
  { path, format }: SourceFile,
  onRead: (bytes: number) => void,
): Generator<SourceDocument | DocumentError> {
  let document = 0;
  try {
    const chunks = chunksOf(path, onRead);
    for (const text of format === "json" ? jsonDocuments(chunks) : yamlDocuments(chunks)) {
      document += 1;
      const location = { file: path, document, line: text.line };
      const parsed = format === "json" ? parseJson(location, text) : parseYaml(location, text);
      // Skip empty documents between two markers.
      if (parsed instanceof DocumentError || parsed.value !== null) yield parsed;
    }
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    yield new DocumentError({ file: path, document: document + 1, line: error.line }, undefined, error.message);
  }
}

function* chunksOf(path: string, onRead: (bytes: number) => void): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const buffer = Buffer.alloc(64 * 1024);
  const file = openSync(path, "r");
  try {
    let line = 1;
    for (;;) {
      const read = readSync(file, buffer);
      onRead(read);
      let chunk: string;
      try {
        chunk = decoder.decode(buffer.subarray(0, read), { stream: read > 0 });
      } catch {
        throw new UnreadableText(line, "the file must be UTF-8");
      }
      yield chunk;
      if (read === 0) return;
      line += chunk.split("\n").length - 1;
    }
  } finally {
    closeSync(file);
  }
}

function parseJson(location: DocumentLocation, { text }: DocumentText): SourceDocument | DocumentError {
  try {
    return { location, value: JSON.parse(text) as unknown };
  } catch (error) {
    return new DocumentError(location, undefined, `is not JSON: ${(error as Error).message}`);
  }
}

function parseYaml(location: DocumentLocation, { text }: DocumentText): SourceDocument | DocumentError {
  try {
    const document = parseDocument(text, { prettyErrors: false, logLevel: "silent" });
    const [error] = document.errors;
    if (error !== undefined) {
      const line = location.line + text.slice(0, error.pos[0]).split("\n").length - 1;
      return new DocumentError({ ...location, line }, undefined, `is not YAML: ${error.message}`);
    }
    return { location, value: document.toJS() as unknown };
  } catch (error) {
    // The parser limits the number of aliases.
    return new DocumentError(location, undefined, `is not YAML: ${(error as Error).message}`);
  }
}
