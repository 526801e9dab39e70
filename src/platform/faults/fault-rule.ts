import { Code } from "../errors/api-error.ts";

/** The effect of a fault on a call. With `applied`, the call does its work first. */
export type FaultEffect =
  /** Only the latency. */
  | { readonly kind: "none" }
  | { readonly kind: "error"; readonly code: Code; readonly applied: boolean }
  /** The connection, or over HTTP/2 the stream, is reset instead of a response. */
  | { readonly kind: "reset"; readonly applied: boolean }
  /** Half of the response is sent, followed by a reset. */
  | { readonly kind: "truncate" };

/** How a response is broken on demand: not sent at all, or cut in half. */
export type ResponseFault = "reset" | "truncate";

/** A fault that is injected on demand, to test clients. */
export interface FaultRule {
  /** The rule as it was written. */
  readonly text: string;
  /** Matches names of operations such as `muster.platform.iam.v2beta1.GroupsService/CreateGroup`. */
  readonly method: RegExp;
  /** The share of the matching calls that fail, from 0 to 1. */
  readonly share: number;
  /** The number of calls after which the rule ends; undefined for no limit. */
  readonly count: number | undefined;
  /** Milliseconds by which the call is delayed before anything else. */
  readonly latency: number;
  readonly effect: FaultEffect;
}

export const faultRuleForm =
  "[method=NAME,][share=0..1,][count=N,][latency=DURATION,][code=N|reset|truncate][,applied]";

const names = ["method", "share", "count", "latency", "code", "reset", "truncate", "applied"] as const;
type Name = (typeof names)[number];

/**
 * Parses a rule such as `method=GroupsService/*,share=0.1,code=14`. A method matches the end of an operation's name; `*`
 * matches any text. With `applied`, the error or reset comes after the work: the change is made and its response is lost.
 * @throws Error that says what is wrong and how to fix it
 */
export function parseFaultRule(text: string): FaultRule {
  const given = new Map<Name, string>();
  for (const part of text.split(",")) {
    const [name = "", ...value] = part.trim().split("=");
    if (!isName(name)) throw new Error(`unknown part "${name}": must be one of ${names.join(", ")}`);
    if (given.has(name)) throw new Error(`"${name}" is given twice`);
    given.set(name, value.join("="));
  }
  const latency = durationOf(given.get("latency") ?? "0ms");
  const effect = effectOf(given);
  if (effect.kind === "none" && latency === 0)
    throw new Error(`"${text}" has no effect: add one of latency=DURATION, code=N, reset, truncate`);
  const count = given.get("count");
  return {
    text,
    method: methodPattern(given.get("method") ?? "*"),
    share: numberOf("share", given.get("share") ?? "1", /^(0(\.\d+)?|1(\.0+)?)$/, "a number from 0 to 1"),
    count: count === undefined ? undefined : numberOf("count", count, /^[1-9]\d{0,8}$/, "a number from 1"),
    latency,
    effect,
  };
}

function isName(name: string): name is Name {
  return (names as readonly string[]).includes(name);
}

function effectOf(given: ReadonlyMap<Name, string>): FaultEffect {
  const chosen = (["code", "reset", "truncate"] as const).filter((name) => given.has(name));
  if (chosen.length > 1) throw new Error(`${chosen.join(" and ")} exclude each other: use only one of them`);
  const applied = given.has("applied");
  const [effect] = chosen;
  switch (effect) {
    case "code":
      return { kind: "error", code: codeOf(given.get("code") ?? ""), applied };
    case "reset":
      return { kind: "reset", applied };
    case "truncate":
      return { kind: "truncate" };
    case undefined:
      break;
  }
  if (applied) throw new Error('"applied" requires code=N or reset');
  return { kind: "none" };
}

function codeOf(text: string): Code {
  const code = Object.values(Code).find((number) => number.toString() === text);
  if (code === undefined)
    throw new Error(`code: unknown gRPC code "${text}": must be one of ${Object.values(Code).join(", ")}`);
  return code;
}

/** Matches the whole name, or its end from a dot or slash on. */
function methodPattern(text: string): RegExp {
  const parts = text.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`(^|[./])${parts.join(".*")}$`);
}

function numberOf(name: Name, text: string, pattern: RegExp, expected: string): number {
  if (!pattern.test(text)) throw new Error(`${name}: "${text}" is not ${expected}`);
  return Number(text);
}

function durationOf(text: string): number {
  const match = /^(\d{1,6})(ms|s)$/.exec(text);
  if (match === null) throw new Error(`latency: "${text}" is not a duration such as 250ms or 5s`);
  return Number(match[1]) * (match[2] === "s" ? 1_000 : 1);
}
