import type { JsonValue } from "@bufbuild/protobuf";
import type { AuditRecord } from "./audit-record.ts";

/** What the records say of a resource that exists. */
export interface ResourceState {
  readonly type: string;
  readonly uid: string;
  /** The values of the fields that are set, by path: `claimMatch.subject`. */
  readonly fields: ReadonlyMap<string, JsonValue>;
  /** The paths of fields whose values are not known. */
  readonly unknown: ReadonlySet<string>;
  /** Whether all fields that are in neither of the two are not set. Otherwise the records begin after the resource was created. */
  readonly isWhole: boolean;
  /** When its API tokens and refresh tokens were last ended before their time (RFC 3339); undefined if they never were. */
  readonly tokensEnded: string | undefined;
}

/** What the record of a state has in its details, in addition to the fields of the resource. */
export interface StateDetails {
  /** When the tokens of the identity were last ended before their time. */
  readonly tokensEnded?: string;
  /** Whether the resource was created before the first record, so that it may have fields that no record has. */
  readonly isPartial?: true;
}

/** What a state follows from. */
export type StateRecord = Pick<AuditRecord, "form" | "action" | "type" | "uid" | "fields" | "time" | "details">;

/**
 * The state of a resource after one more of its records.
 * @param before undefined if it does not exist
 * @param record is about this resource, and the next one in the order of sequences
 * @returns undefined if it does not exist after it
 */
export function stateAfter(before: ResourceState | undefined, record: StateRecord): ResourceState | undefined {
  const { form, action, type, uid, time, details } = record;
  if (form === "event") return before;
  const empty = { type, uid, fields: new Map(), unknown: new Set<string>() };
  const known = before ?? { ...empty, isWhole: false, tokensEnded: undefined };
  if (action === "delete") return undefined;
  if (action === "create" || action === "state") {
    const { isPartial, tokensEnded }: StateDetails = details.fields ?? {};
    return changed({ ...empty, isWhole: isPartial !== true, tokensEnded }, record);
  }
  if (action === "update") return changed(known, record);
  return action === "revokeTokens" ? { ...known, tokensEnded: time } : before;
}

function changed(before: ResourceState, { fields: changes }: StateRecord): ResourceState {
  const fields = new Map(before.fields);
  const unknown = new Set(before.unknown);
  for (const [path, { new: value, omitted }] of Object.entries(changes)) {
    fields.delete(path);
    unknown.delete(path);
    if (omitted === true) unknown.add(path);
    else if (value !== undefined) fields.set(path, value);
  }
  return { ...before, fields, unknown };
}
