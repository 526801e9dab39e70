import type { Caller } from "../authorization/caller.ts";
import { authorOf } from "../audit/author.ts";
import type { CallDetails } from "../audit/authored-writer.ts";
import type { SecurityLog } from "../audit/security-log.ts";
import { type ApiError, Code } from "../errors/api-error.ts";

/** A call that has ended. */
export interface EndedCall extends CallDetails {
  /** Undefined if the caller was not authenticated. */
  readonly caller: Caller | undefined;
}

/** The codes of refusals: the caller is unknown, lacks a permission, or exceeds a limit. */
const refusals: ReadonlySet<number> = new Set([Code.unauthenticated, Code.permissionDenied, Code.resourceExhausted]);

/** The methods that change nothing, and therefore leave no other record. */
const reads = /\/(List|Get|Lookup)[A-Za-z]*$/;

/**
 * Records that a call was refused, or that an admin token was used to read: changes have records of their own. The record of a
 * refusal is about the resource that the call was refused for, or else the identity that called.
 */
export function recordCall(
  log: SecurityLog,
  { method, address, caller }: EndedCall,
  error: ApiError | undefined,
): void {
  const code = error?.code ?? 0;
  if (error !== undefined && refusals.has(code)) {
    if (error.isRecorded) return;
    const { message, explanation, about } = error;
    const uid = about ?? explanation?.subject ?? (caller?.kind === "identity" ? caller.uid : "");
    const author = caller === undefined ? anonymous : authorOf(caller);
    const fields = { status: error.reason, ...explanation?.fields };
    log.record({ action: "refuse", author, type: "", uid, method, code, reason: message, address, fields });
  } else if (caller?.kind === "admin" && reads.test(method)) {
    const reason = error?.message ?? "";
    log.record({ action: "use", author: caller, type: "", uid: "", method, code, reason, address });
  }
}

const anonymous = { kind: "anonymous" } as const;
