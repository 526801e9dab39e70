import { statusOfCode } from "#src/platform-client/failure.ts";
import type { ApiDocument } from "./api-document.ts";
import type { Ending, HttpResponse } from "./http-connection.ts";
import { isWellFramed, type WireRequest } from "./wire-request.ts";

/** Checks how a request ended. @returns the violations of the contract */
export function checkResponse(document: ApiDocument, request: WireRequest, ending: Ending): string[] {
  switch (ending.kind) {
    case "hang":
      return [`no response within ${Math.round(ending.milliseconds)} ms`];
    case "malformed":
      return [`malformed HTTP response: ${ending.why}`];
    case "closed":
      return isWellFramed(request) ? ["the connection closed without a response"] : [];
    case "response":
      return [...headerViolations(ending), ...responseViolations(document, request, ending)];
  }
}

function headerViolations({ status, headers }: HttpResponse): string[] {
  const violations: string[] = [];
  const values = (name: string) => headers.filter(([one]) => one === name).map(([, value]) => value);
  for (const name of new Set(headers.map(([one]) => one)))
    if (values(name).length > 1) violations.push(`duplicate header ${name}`);
  const [date = ""] = values("date");
  if (Number.isNaN(Date.parse(date)) && values("connection")[0] !== "close") violations.push("missing header date");
  if (status === 401 && values("www-authenticate").length === 0) violations.push("status 401 without www-authenticate");
  if (status === 429 && !/^[1-9]\d*$/.test(values("retry-after")[0] ?? ""))
    violations.push("status 429 without retry-after");
  return violations;
}

function responseViolations(document: ApiDocument, request: WireRequest, response: HttpResponse): string[] {
  const { status, body, headers } = response;
  const type = new Map(headers).get("content-type") ?? "";
  const isHead = request.method === "HEAD";
  if (status >= 200 && status < 300) {
    const path = request.target.replace(/\?.*$/s, "");
    const operation = document.operationAt(request.method, path);
    if (operation === undefined)
      return isHead || ownPaths.has(path)
        ? []
        : [`status ${status} for a method that the OpenAPI document does not have`];
    if (status !== 200) return [`status ${status} is not in the OpenAPI document`];
    if (operation.responseViolations === undefined)
      return ["", "{}"].includes(body.toString()) ? [] : ["unexpected body"];
    if (!type.startsWith("application/json")) return [`content-type ${type}`];
    return jsonViolations(body, operation.responseViolations);
  }
  if (status < 400) return [`status ${status} is not in the OpenAPI document`];
  if (isHead) return [];
  if (!type.startsWith("application/json"))
    return [`status ${status}, content-type "${type}": ${body.toString().slice(0, 200)}`];
  return jsonViolations(body, (json) => [...document.errorViolations(json), ...errorViolations(status, json)]);
}

/** Served in addition to the API, so the OpenAPI document does not have them. */
const ownPaths = new Set([
  "/livez",
  "/readyz",
  "/metrics",
  "/docs",
  "/openapi.json",
  "/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server",
  "/.well-known/jwks.json",
]);

function jsonViolations(body: Buffer, violationsOf: (json: unknown) => string[]): string[] {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    return [`the body is not JSON: ${(error as Error).message}: ${body.toString().slice(0, 200)}`];
  }
  const violations = violationsOf(json);
  return violations.length === 0 ? [] : [`${violations.slice(0, 5).join("; ")} in ${body.toString().slice(0, 500)}`];
}

interface ApiErrorBody {
  readonly code?: number;
  readonly message?: string;
  readonly details?: readonly { readonly "@type"?: string; readonly reason?: string; readonly domain?: string }[];
}

/** Checks what the contract promises of each code in addition to the schema (AIP-193). */
function errorViolations(status: number, json: unknown): string[] {
  const { code = 0, message = "", details = [] } = json as ApiErrorBody;
  const violations: string[] = [];
  if (statusOfCode[code] === undefined) return [`code ${code}: ${message}`];
  // A method that no path of the API has is not one of a call.
  const expected = code === 12 && status === 405 ? 405 : statusOfCode[code];
  if (expected !== status) violations.push(`code ${code} with status ${status}`);
  if (status >= 500 && code !== 12) violations.push(`status ${status}: ${message}`);
  if (message === "") violations.push("missing message");
  const info = details.find((detail) => detail["@type"]?.endsWith("google.rpc.ErrorInfo"));
  if (info === undefined || !/^[A-Z_]+$/.test(info.reason ?? "") || !info.domain) violations.push("missing ErrorInfo");
  const required = { 3: "BadRequest", 5: "ResourceInfo", 8: "RetryInfo", 9: "PreconditionFailure" }[code];
  if (required !== undefined && !details.some((detail) => detail["@type"]?.endsWith(`google.rpc.${required}`)))
    violations.push(`code ${code} without ${required}`);
  return violations;
}
