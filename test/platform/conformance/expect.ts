import { isDeepStrictEqual } from "node:util";
import type { Failure, Json, Outcome } from "./client/api.ts";
import type { CollectionName } from "./client/collections.ts";

/** The platform violates the requirement. */
export class Mismatch extends Error {
  override readonly name = "Mismatch";
  readonly expected: unknown;
  readonly actual: unknown;

  /** @param what names the value that was compared, such as `the group's name` */
  constructor(what: string, expected: unknown, actual: unknown) {
    super(what);
    this.expected = expected;
    this.actual = actual;
  }
}

/** This platform cannot show whether the requirement holds, for example because it lacks an optional method. */
export class Skip extends Error {
  override readonly name = "Skip";
}

/** The body of a call that must succeed. */
export function succeeded<T = Json>(outcome: Outcome<T>, what = "the call"): T {
  if (!outcome.ok) throw new Mismatch(what, "success", outcome.failure);
  return outcome.body;
}

/** The resources of a List that must succeed. */
export function resourcesOf(
  outcome: Outcome,
  collection: CollectionName,
  what = `a List of ${collection}`,
): readonly Json[] {
  const body = succeeded(outcome, what);
  const rows = body[collection];
  if (!Array.isArray(rows)) throw new Mismatch(what, `an array named ${collection}`, body);
  return rows as readonly Json[];
}

/** The properties that an error must have; a property that is absent here can have any value. */
export interface ExpectedError {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string | RegExp;
  /** The field of one of BadRequest's violations. */
  readonly field?: string;
  /** The type of one of PreconditionFailure's violations. */
  readonly violation?: string;
}

interface Violation {
  /** Only in BadRequest. */
  readonly field?: string;
  /** Only in PreconditionFailure. */
  readonly type?: string;
  readonly description: string;
}

/** The error of a call that must fail with these properties. */
export function rejected(outcome: Outcome<unknown>, error: ExpectedError, what = "the call"): Failure {
  if (outcome.ok) throw new Mismatch(what, { error }, outcome.body);
  const { failure } = outcome;
  const { code, reason, message, field, violation } = error;
  const fits =
    failure.code === code &&
    (reason === undefined || detail(failure, "ErrorInfo")?.["reason"] === reason) &&
    (message === undefined ||
      (message instanceof RegExp ? message.test(failure.message) : message === failure.message)) &&
    (field === undefined || violationsOf(failure, "BadRequest").some((found) => found.field === field)) &&
    (violation === undefined || violationsOf(failure, "PreconditionFailure").some((found) => found.type === violation));
  if (!fits) throw new Mismatch(what, error, failure);
  return failure;
}

/** A typed payload of an error. */
export function detail(failure: Failure, type: string): Readonly<Record<string, unknown>> | undefined {
  return failure.details.find((payload) => payload["@type"] === `type.googleapis.com/google.rpc.${type}`);
}

/** The violations in an error's BadRequest or PreconditionFailure; empty if the error does not have this payload. */
export function violationsOf(failure: Failure, type: "BadRequest" | "PreconditionFailure"): readonly Violation[] {
  const list = detail(failure, type)?.[type === "BadRequest" ? "fieldViolations" : "violations"];
  return (list ?? []) as readonly Violation[];
}

/** The values must be deeply equal. @throws {Mismatch} as all functions below */
export function equal(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected)) throw new Mismatch(what, expected, actual);
}

/** Every field of `expected` must be present and equal; other fields are ignored. Lists must be equal as a whole. */
export function has(actual: unknown, expected: Readonly<Record<string, unknown>>, what: string): void {
  if (!contains(actual, expected)) throw new Mismatch(what, expected, actual);
}

function contains(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== "object" || expected === null || Array.isArray(expected))
    return isDeepStrictEqual(actual, expected);
  if (typeof actual !== "object" || actual === null) return false;
  const properties = actual as Readonly<Record<string, unknown>>;
  return Object.entries(expected).every(([key, value]) => contains(properties[key], value));
}

/** The value must be a string that contains a match of the pattern. */
export function matches(actual: unknown, pattern: RegExp, what: string): void {
  if (typeof actual !== "string" || !pattern.test(actual)) throw new Mismatch(what, pattern, actual);
}

/** The condition must be true. @param expected describes the condition for the report */
export function holds(condition: boolean, what: string, expected: string, actual: unknown): void {
  if (!condition) throw new Mismatch(what, expected, actual);
}

/** The uid must consist of the parent's uid, `/` and 16 lowercase hex digits. */
export function isChild(uid: string, parent: string): void {
  equal(uid.slice(0, parent.length), parent, "the parent's part of the uid");
  matches(uid.slice(parent.length), /^\/[0-9a-f]{16}$/, "the part after the parent's uid");
}

/** The body of a response to Delete must be empty. Some platforms return an empty object; clients accept both. */
export function isEmptyBody(body: unknown): void {
  const isEmpty = body === undefined || isDeepStrictEqual(body, {});
  holds(isEmpty, "the body of the response", "nothing, or {}", body);
}
