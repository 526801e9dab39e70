import { Code } from "../errors/api-error.ts";

/** What goes wrong with a call. `applied` tells whether the call has done its work before. */
export type FaultEffect =
  /** Nothing but the latency. */
  | { readonly kind: "none" }
  | { readonly kind: "error"; readonly code: Code; readonly applied: boolean }
  /** The connection, or over HTTP/2 the stream, is reset in the place of an answer. */
  | { readonly kind: "reset"; readonly applied: boolean }
  /** Half of the answer, then a reset. */
  | { readonly kind: "truncate" };

/** A fault on demand, for people who test their clients. */
export interface FaultRule {
  /** As it was written. */
  readonly text: string;
  /** Of the names of operations, such as `muster.platform.iam.v2beta1.GroupsService/CreateGroup`. */
  readonly method: RegExp;
  /** Of the calls that match, from 0 to 1. */
  readonly share: number;
  /** The rule is over after so many; never, where undefined. */
  readonly count: number | undefined;
  /** Milliseconds that the call waits before anything else. */
  readonly latency: number;
  readonly effect: FaultEffect;
}

export const faultRuleForm =
  "[method=NAME,][share=0..1,][count=N,][latency=DURATION,][code=N|reset|truncate][,applied]";

const names = ["method", "share", "count", "latency", "code", "reset", "truncate", "applied"] as const;
type Name = (typeof names)[number];

/**
 * Reads `method=GroupsService/*,share=0.1,code=14`. A method is the end of an operation's name, and `*` stands for any
 * text in it. `applied` puts an error or a reset behind the work: the change is made, its answer is lost.
 * @throws Error that tells the mend
 */
export function parseFaultRule(text: string): FaultRule {
  const given = new Map<Name, string>();
  for (const part of text.split(",")) {
    const [name = "", ...value] = part.trim().split("=");
    if (!isName(name)) throw new Error(`"${name}" is none of ${names.join(", ")}`);
    if (given.has(name)) throw new Error(`"${name}" is given twice`);
    given.set(name, value.join("="));
  }
  const latency = durationOf(given.get("latency") ?? "0ms");
  const effect = effectOf(given);
  if (effect.kind === "none" && latency === 0)
    throw new Error(`"${text}" does nothing: it needs one of latency=DURATION, code=N, reset, truncate`);
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
  if (chosen.length > 1) throw new Error(`only one of ${chosen.join(" and ")} can happen to a call`);
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
  if (applied) throw new Error('"applied" says when code=N or reset happens; there is neither');
  return { kind: "none" };
}

function codeOf(text: string): Code {
  const code = Object.values(Code).find((one) => one.toString() === text);
  if (code === undefined)
    throw new Error(`code: "${text}" is no gRPC code that the platform answers: ${Object.values(Code).join(", ")}`);
  return code;
}

/** Of the whole name or of its end, from a dot or a slash on. */
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
