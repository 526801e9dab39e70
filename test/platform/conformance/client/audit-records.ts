import { Mismatch, Skip, succeeded } from "../expect.ts";
import type { Json, Outcome } from "./api.ts";
import { outcomeOf, type RestApi } from "./rest.ts";

/** A record of the audit log, with the fields that cases read. */
export interface AuditRecord {
  readonly id: string;
  readonly createTime: string;
  readonly actor: { readonly name: string; readonly issuer: string; readonly subject: string };
  readonly action: string;
  readonly method: string;
  readonly resourceType: string;
  readonly resource: string;
  readonly code: number;
  readonly changes: Readonly<Record<string, { readonly old?: unknown; readonly new?: unknown }>>;
}

/** Lists audit records, which are served over REST only. @throws {Skip} if the platform has no audit log */
export async function listRecords(api: RestApi, query: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const response = await api.send("GET", `/audit/v1beta1/records?${new URLSearchParams(query).toString()}`);
  if (response.status === 404 || response.status === 501) throw new Skip("this platform has no list of audit records");
  return outcomeOf(response);
}

/** A page that must be returned. */
export async function recordsPage(
  api: RestApi,
  query: Readonly<Record<string, string>> = {},
): Promise<Json & { readonly records: readonly AuditRecord[] }> {
  const page = succeeded(await listRecords(api, query), "a List of audit records");
  if (!Array.isArray(page["records"])) throw new Mismatch("a List of audit records", "an array named records", page);
  return page as Json & { readonly records: readonly AuditRecord[] };
}
