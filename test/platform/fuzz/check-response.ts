import { statusOfCode } from "#src/platform-client/failure.ts";
import type { ApiDocument } from "./api-document.ts";
import type { Ending, HttpAnswer } from "./http-connection.ts";
import { isWellFramed, type WireRequest } from "./wire-request.ts";

/** What is wrong with how a request ended; empty where nothing is. */
export function checkAnswer(document: ApiDocument, request: WireRequest, ending: Ending): string[] {
  switch (ending.kind) {
    case "hang":
      return [`no answer within ${Math.round(ending.milliseconds)} ms`];
    case "malformed":
      return [`is no answer of HTTP: ${ending.why}`];
    case "closed":
      return isWellFramed(request) ? ["the connection ended without an answer"] : [];
    case "answer":
      return [...headerMistakes(ending), ...answerMistakes(document, request, ending)];
  }
}

function headerMistakes({ status, headers }: HttpAnswer): string[] {
  const mistakes: string[] = [];
  const values = (name: string) => headers.filter(([one]) => one === name).map(([, value]) => value);
  for (const name of new Set(headers.map(([one]) => one)))
    if (values(name).length > 1) mistakes.push(`the header ${name} is there more than once`);
  const [date = ""] = values("date");
  if (Number.isNaN(Date.parse(date)) && values("connection")[0] !== "close") mistakes.push("has no date");
  if (status === 401 && values("www-authenticate").length === 0) mistakes.push("401 without www-authenticate");
  if (status === 429 && !/^[1-9]\d*$/.test(values("retry-after")[0] ?? "")) mistakes.push("429 without retry-after");
  return mistakes;
}

function answerMistakes(document: ApiDocument, request: WireRequest, answer: HttpAnswer): string[] {
  const { status, body, headers } = answer;
  const type = new Map(headers).get("content-type") ?? "";
  const isHead = request.method === "HEAD";
  if (status >= 200 && status < 300) {
    const path = request.target.replace(/\?.*$/s, "");
    const operation = document.operationAt(request.method, path);
    if (operation === undefined)
      return isHead || ownPaths.has(path) ? [] : [`${status} of a method that the document does not have`];
    if (status !== 200) return [`status ${status} is not in the document`];
    if (operation.mistakesOfAnswer === undefined) return ["", "{}"].includes(body.toString()) ? [] : ["has a body"];
    if (!type.startsWith("application/json")) return [`content-type ${type}`];
    return jsonMistakes(body, operation.mistakesOfAnswer);
  }
  if (status < 400) return [`status ${status} is not in the document`];
  if (isHead) return [];
  if (!type.startsWith("application/json"))
    return [`status ${status}, content-type "${type}": ${body.toString().slice(0, 200)}`];
  return jsonMistakes(body, (json) => [...document.mistakesOfError(json), ...errorMistakes(status, json)]);
}

/** Served beside the API, so not in its document. */
const ownPaths = new Set([
  "/livez",
  "/readyz",
  "/metrics",
  "/docs",
  "/openapi.json",
  "/.well-known/openid-configuration",
  "/.well-known/jwks.json",
]);

function jsonMistakes(body: Buffer, mistakesOf: (json: unknown) => string[]): string[] {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    return [`the body is no JSON: ${(error as Error).message}: ${body.toString().slice(0, 200)}`];
  }
  const mistakes = mistakesOf(json);
  return mistakes.length === 0 ? [] : [`${mistakes.slice(0, 5).join("; ")} in ${body.toString().slice(0, 500)}`];
}

interface ApiErrorBody {
  readonly code?: number;
  readonly message?: string;
  readonly details?: readonly { readonly "@type"?: string; readonly reason?: string; readonly domain?: string }[];
}

/** The AIP-193 shape beyond the schema: what the contract promises of each code. */
function errorMistakes(status: number, json: unknown): string[] {
  const { code = 0, message = "", details = [] } = json as ApiErrorBody;
  const mistakes: string[] = [];
  if (statusOfCode[code] === undefined) return [`code ${code}: ${message}`];
  if (statusOfCode[code] !== status) mistakes.push(`code ${code} with status ${status}`);
  if (status >= 500 && code !== 12) mistakes.push(`status ${status}: ${message}`);
  if (message === "") mistakes.push("has no message");
  const info = details.find((one) => one["@type"]?.endsWith("google.rpc.ErrorInfo"));
  if (info === undefined || !/^[A-Z_]+$/.test(info.reason ?? "") || !info.domain) mistakes.push("has no ErrorInfo");
  const needed = { 3: "BadRequest", 5: "ResourceInfo", 8: "RetryInfo", 9: "PreconditionFailure" }[code];
  if (needed !== undefined && !details.some((one) => one["@type"]?.endsWith(`google.rpc.${needed}`)))
    mistakes.push(`code ${code} without ${needed}`);
  return mistakes;
}
