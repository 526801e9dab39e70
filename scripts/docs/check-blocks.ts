import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { type Document, parseAllDocuments } from "yaml";
import type { z } from "zod";
import { apiGroup } from "#src/api/custom-resource.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import { isJsonObject } from "#src/json/json-object.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { commandMistakes } from "./command-checker.ts";
import type { Fence, ParsedPage } from "./page-parser.ts";

/**
 * Mistakes in the code blocks of a page. Every block is checked by its language, and a language that nobody checks is a
 * mistake, so that no block escapes. `<!-- not run: REASON -->` above a block exempts it.
 */
export async function blockMistakes({ source, fences }: ParsedPage): Promise<readonly string[]> {
  const mistakes: string[] = [];
  for (const fence of fences) {
    const found = await mistakesOf(fence);
    mistakes.push(...found.map((mistake) => `${source.path}:${fence.line}: ${mistake}`));
  }
  return mistakes;
}

async function mistakesOf(fence: Fence): Promise<readonly string[]> {
  const { language, code, comment = "" } = fence;
  if (/^not run\b/.test(comment))
    return /^not run: \S/.test(comment) ? [] : ["say why the block is not run: <!-- not run: REASON -->"];
  switch (language) {
    case "sh":
      return [...syntaxMistakes(code), ...(await commandMistakes(code))];
    case "yaml":
      return yamlMistakes(code);
    case "json":
      return jsonMistakes(code);
    case "mermaid": // The site's build draws it, or fails.
    case "text": // Output, usage, messages.
      return [];
    case "":
      return ["the block has no language: sh, yaml, json, or text for output"];
    default:
      return isExample(code)
        ? []
        : [`no test runs a block of ${language}: make it equal to a file in examples/ that a test runs`];
  }
}

function syntaxMistakes(code: string): readonly string[] {
  const { status, stderr } = spawnSync("bash", ["-n"], { input: code, encoding: "utf8" });
  return status === 0 ? [] : [stderr.trim()];
}

function jsonMistakes(code: string): readonly string[] {
  try {
    JSON.parse(code);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** The manifests of a page, parsed: what has `apiVersion` and `kind`. */
export function manifestsOf({ fences }: ParsedPage): readonly Manifest[] {
  return fences
    .filter(({ language, comment = "" }) => language === "yaml" && !comment.startsWith("not run"))
    .flatMap(({ code, line }) =>
      parseAllDocuments(code)
        .map((document) => (document as Document).toJS() as unknown)
        .filter(isJsonObject)
        .filter((value) => typeof value["apiVersion"] === "string" && typeof value["kind"] === "string")
        .map((object) => ({ object, line })),
    );
}

export interface Manifest {
  readonly object: Readonly<Record<string, unknown>>;
  readonly line: number;
}

const schemas = new Map<string, { safeParse: (value: unknown) => z.ZodSafeParseResult<unknown> }>(
  [...kinds.map(({ definition }) => definition), tenantDefinition].map(({ kind, specSchema }) => [kind, specSchema]),
);

function yamlMistakes(code: string): readonly string[] {
  return parseAllDocuments(code).flatMap((document) => {
    const { errors } = document as Document;
    if (errors.length > 0) return errors.map(({ message }) => message);
    const value = (document as Document).toJS() as unknown;
    if (!isJsonObject(value) || !String(value["apiVersion"]).startsWith(`${apiGroup}/`)) return [];
    const kind = String(value["kind"]);
    const schema = schemas.get(kind);
    if (schema === undefined) return [`${kind} is not a kind of Muster`];
    const { error } = schema.safeParse(value["spec"]);
    return (error?.issues ?? []).map(({ path, message }) => `${kind}: spec.${path.join(".")}: ${message}`);
  });
}

const examples = globSync("examples/**/*", { withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, "utf8").trim());

function isExample(code: string): boolean {
  return examples.includes(code.trim());
}
