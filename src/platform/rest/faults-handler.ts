import { ApiError, invalidArgument, permissionDenied } from "../errors/api-error.ts";
import { bodyTooLarge } from "../server/body-too-large.ts";
import { type FaultRule, parseFaultRule } from "../faults/fault-rule.ts";
import type { Faults } from "../faults/faults.ts";
import { bearerOf } from "../server/bearer.ts";
import type { HttpHandler } from "../server/http-handler.ts";
import type { Authenticator } from "../service/authenticator.ts";
import { MethodNotAllowed } from "./method-not-allowed.ts";
import { errorResponse } from "./rest-handler.ts";

/** The maximum number of rules. */
const maximumRules = 1_000;

/**
 * `/faults`, for the admin: GET lists the rules and how often each was applied, POST adds `{"rules": ["…"]}`, DELETE removes
 * all rules. Each returns the resulting rules.
 */
export function faultsHandler(faults: Faults, authenticator: Authenticator, errorDomain: string): HttpHandler {
  return async ({ method = "GET", headers }, readBody) => {
    try {
      const caller = await authenticator.authenticate(bearerOf(headers.authorization));
      if (caller.kind !== "admin") throw permissionDenied("only the admin can change faults");
      if (method === "POST") faults.add(readRules(await readBody(), maximumRules - faults.list().length));
      else if (method === "DELETE") faults.clear();
      else if (method !== "GET") throw new MethodNotAllowed(method, ["GET", "POST", "DELETE"]);
    } catch (error) {
      if (error instanceof ApiError) return errorResponse(error, errorDomain);
      throw error;
    }
    const rules = faults.list().map(({ rule, struck }) => ({ rule: rule.text, struck }));
    const responseHeaders = { "content-type": "application/json", "cache-control": "no-store" };
    return { status: 200, headers: responseHeaders, body: JSON.stringify({ rules }) };
  };
}

function readRules(body: Buffer | undefined, maximum: number): FaultRule[] {
  let json: { rules?: unknown } | null;
  if (body === undefined) throw bodyTooLarge();
  try {
    json = JSON.parse(body.toString()) as typeof json;
  } catch {
    throw invalidArgument("body", "must be JSON");
  }
  const rules = json?.rules;
  if (!Array.isArray(rules)) throw invalidArgument("rules", 'must be a list of rules, such as ["method=*,code=14"]');
  if (rules.length > maximum) throw invalidArgument("rules", `must have at most ${maximumRules} rules in total`);
  return rules.map((rule, index) => {
    try {
      return parseFaultRule(String(rule));
    } catch (error) {
      throw invalidArgument(`rules[${index}]`, (error as Error).message);
    }
  });
}
