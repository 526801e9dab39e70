import { type Document, isAlias, isPair, isScalar, parseDocument, visit } from "yaml";
import * as z from "zod";
import { parseWithSchema } from "#src/api/schema-mistake.ts";
import { agentUser } from "#src/injection/agent-user.ts";
import type { CommonValues } from "#src/injection/description.ts";
import { identityLabel } from "#src/injection/names.ts";
import { type Pod, podSchema } from "#src/injection/pod.ts";
import { emptyLabel, messageStart, misplacedLabel, podRefusals, refusalOf } from "#src/injection/refusals.ts";
import { yamlMistake } from "#src/text/yaml-mistake.ts";
import { injectTemplate } from "./inject-template.ts";
import { type PodTemplate, podTemplates } from "./pod-templates.ts";

/** A pod whose label names an Identity. */
export interface LabelledPod {
  readonly pod: Pod;
  /** The Identity that the label names. */
  readonly name: string;
  /** Undefined if the manifest names none. */
  readonly namespace: string | undefined;
}

/** Why a pod cannot be injected. The message follows the name of the manifest. */
export class PodRefused extends Error {
  override readonly name = "PodRefused";
}

/**
 * Returns the values of the Identity of a pod.
 * @throws {PodRefused} if the Identity cannot be injected into this pod.
 */
export type ValuesOf = (pod: LabelledPod) => Promise<CommonValues>;

/** Reports every pod of a file that cannot be injected, one per line. */
export class InjectionError extends Error {
  override readonly name = "InjectionError";
}

/** A line that separates documents. Such a line cannot be part of a value in a manifest. */
const separator = /^(?=---(?:\s|$))/m;

/**
 * Injects the labelled pods in a file of YAML or JSON manifests. Documents in which nothing changes are returned as they are;
 * in others, order and comments are kept, except where the document has YAML anchors.
 * @param file its name, for messages.
 * @throws {InjectionError} with all problems of the file.
 */
export async function injectFile(file: string, text: string, valuesOf: ValuesOf): Promise<string> {
  const problems: string[] = [];
  const results: string[] = [];
  for (const source of text.split(separator)) {
    try {
      results.push(await injectDocument(source, valuesOf, (problem) => problems.push(`${file}: ${problem}`)));
    } catch (error) {
      if (!(error instanceof InjectionError)) throw error;
      problems.push(`${file}: ${error.message}`);
    }
  }
  if (problems.length > 0) throw new InjectionError(problems.join("\n"));
  return results.join("");
}

/** @throws {InjectionError} if an alias has no anchor, or there are too many aliases */
function valueOf(document: Document.Parsed): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new InjectionError(`not valid YAML: ${yamlMistake(error as Error)}`, { cause: error });
  }
}

async function injectDocument(source: string, valuesOf: ValuesOf, report: (problem: string) => void): Promise<string> {
  const parsed = parseDocument(source, { merge: true });
  const [syntaxError] = parsed.errors;
  if (syntaxError !== undefined)
    throw new InjectionError(
      `not valid YAML: ${yamlMistake(syntaxError)} (line ${syntaxError.linePos?.[0].line ?? 1} of the document)`,
    );
  const manifest = valueOf(parsed);
  let document: Document = parsed;
  let changed = false;
  for (const template of podTemplates(manifest)) {
    const pod = labelledPod(valueAt(manifest, template.path), template, report);
    if (pod === undefined) continue;
    try {
      const values = { ...(await valuesOf(pod)), agentUser: agentUser.of(pod.pod) };
      const refusal = refusalOf(podRefusals, { pod: pod.pod, values });
      if (refusal !== undefined) throw new PodRefused(startOf(pod) + refusal);
      if (!changed) document = withoutAliases(parsed, manifest);
      changed = true;
      injectTemplate(document, template.path, pod.pod, values);
    } catch (error) {
      if (!(error instanceof PodRefused)) throw error;
      report(`${template.owner}: ${error.message}`);
    }
  }
  if (!changed || JSON.stringify(document.toJS()) === JSON.stringify(manifest)) return source;
  return isJson(source) ? `${JSON.stringify(document.toJS(), undefined, 2)}\n` : print(document, source);
}

/** How messages about an Identity begin. */
export function startOf({ name, namespace }: Pick<LabelledPod, "name" | "namespace">): string {
  return namespace === undefined ? `Identity ${name}` : messageStart.of({ name, namespace });
}

const labelsSchema = z.record(z.string(), z.unknown());

function labelledPod(
  value: unknown,
  { owner, namespace, within, labels: outside }: PodTemplate,
  report: (problem: string) => void,
): LabelledPod | undefined {
  const labels = z.object({ metadata: z.object({ labels: labelsSchema }) }).safeParse(value).data?.metadata.labels;
  if (labels === undefined || !Object.hasOwn(labels, identityLabel)) {
    if (within.length > 0 && Object.hasOwn(labelsSchema.safeParse(outside).data ?? {}, identityLabel))
      report(`${owner}: ${misplacedLabel(within)}`);
    return undefined;
  }
  const name = labels[identityLabel];
  if (typeof name !== "string" || name === "") {
    report(`${owner}: ${emptyLabel}`);
    return undefined;
  }
  const pod = parseWithSchema(podSchema, value);
  if ("value" in pod) return { pod: pod.value, name, namespace };
  const { message, path } = pod.mistake;
  report(`${owner}: the pod is invalid: ${path.join(".")}: ${message}. Correct the manifest`);
  return undefined;
}

/** An edit of an anchored node would change all places that refer to it. */
function withoutAliases(document: Document.Parsed, manifest: unknown): Document {
  let has = false;
  visit(document, (_, node) => {
    has ||= isAlias(node) || (isPair(node) && isScalar(node.key) && node.key.value === "<<");
  });
  return has ? parseDocument(JSON.stringify(manifest)) : document;
}

function valueAt(manifest: unknown, path: PodTemplate["path"]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Readonly<Record<string | number, unknown>> | null | undefined)?.[key],
    manifest,
  );
}

const isJson = (source: string): boolean => source.trimStart().startsWith("{");

/** In the style of the source, and without new line breaks in long texts. */
function print(document: Document, source: string): string {
  return document.toString({
    lineWidth: 0,
    indentSeq: !/^( *)[^\s#-][^\n]*:\n+\1- /m.test(source),
    flowCollectionPadding: !/[{[]\w/.test(source),
  });
}
