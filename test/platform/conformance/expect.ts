import { isDeepStrictEqual } from "node:util";
import type { Failure, Json, Outcome } from "./client/api.ts";
import type { CollectionName } from "./client/collections.ts";

/** The platform did not do what the sentence says. */
export class Mismatch extends Error {
  override readonly name = "Mismatch";
  readonly expected: unknown;
  readonly came: unknown;

  /** @param what that was looked at, such as `the group's name` */
  constructor(what: string, expected: unknown, came: unknown) {
    super(what);
    this.expected = expected;
    this.came = came;
  }
}

/** This platform cannot show whether the sentence holds, as it may differ there. */
export class Skip extends Error {
  override readonly name = "Skip";
}

/** The body of a call that must succeed. */
export function succeeded<T = Json>(outcome: Outcome<T>, what = "the call"): T {
  if (!outcome.ok) throw new Mismatch(what, "success", outcome.failure);
  return outcome.body;
}

/** The resources of a List that must succeed. */
export function rowsOf(
  outcome: Outcome,
  collection: CollectionName,
  what = `a List of ${collection}`,
): readonly Json[] {
  const body = succeeded(outcome, what);
  const rows = body[collection];
  if (!Array.isArray(rows)) throw new Mismatch(what, `an array named ${collection}`, body);
  return rows as readonly Json[];
}

/** What an error must be like; what is not named may be anything. */
export interface Refusal {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string | RegExp;
  /** The field of a violation of BadRequest. */
  readonly field?: string;
  /** The type of a violation of PreconditionFailure. */
  readonly violation?: string;
}

interface Violation {
  /** Of BadRequest. */
  readonly field?: string;
  /** Of PreconditionFailure. */
  readonly type?: string;
  readonly description: string;
}

/** The failure of a call that must be refused, and so. */
export function refused(outcome: Outcome<unknown>, refusal: Refusal, what = "the call"): Failure {
  if (outcome.ok) throw new Mismatch(what, { refused: refusal }, outcome.body);
  const { failure } = outcome;
  const { code, reason, message, field, violation } = refusal;
  const fits =
    failure.code === code &&
    (reason === undefined || detail(failure, "ErrorInfo")?.["reason"] === reason) &&
    (message === undefined ||
      (message instanceof RegExp ? message.test(failure.message) : message === failure.message)) &&
    (field === undefined || violationsOf(failure, "BadRequest").some((one) => one.field === field)) &&
    (violation === undefined || violationsOf(failure, "PreconditionFailure").some((one) => one.type === violation));
  if (!fits) throw new Mismatch(what, refusal, failure);
  return failure;
}

/** A typed payload of an error. */
export function detail(failure: Failure, type: string): Readonly<Record<string, unknown>> | undefined {
  return failure.details.find((one) => one["@type"] === `type.googleapis.com/google.rpc.${type}`);
}

/** The violations in an error's BadRequest or PreconditionFailure; none where it has no such payload. */
export function violationsOf(failure: Failure, type: "BadRequest" | "PreconditionFailure"): readonly Violation[] {
  const list = detail(failure, type)?.[type === "BadRequest" ? "fieldViolations" : "violations"];
  return (list ?? []) as readonly Violation[];
}

export function equal(came: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(came, expected)) throw new Mismatch(what, expected, came);
}

/** Every field of `expected` is there and equal; others may be there too. Lists are equal as a whole. */
export function has(came: unknown, expected: Readonly<Record<string, unknown>>, what: string): void {
  if (!contains(came, expected)) throw new Mismatch(what, expected, came);
}

function contains(came: unknown, expected: unknown): boolean {
  if (typeof expected !== "object" || expected === null || Array.isArray(expected))
    return isDeepStrictEqual(came, expected);
  if (typeof came !== "object" || came === null) return false;
  const properties = came as Readonly<Record<string, unknown>>;
  return Object.entries(expected).every(([key, value]) => contains(properties[key], value));
}

export function matches(came: unknown, pattern: RegExp, what: string): void {
  if (typeof came !== "string" || !pattern.test(came)) throw new Mismatch(what, pattern, came);
}

/** @param expected says in words what must hold */
export function holds(condition: boolean, what: string, expected: string, came: unknown): void {
  if (!condition) throw new Mismatch(what, expected, came);
}
