import { type AccessModel, groupOf, listedGroups } from "#src/access/access-model.ts";
import { callerCan } from "#src/access/caller-can.ts";
import { type EarlierGrants, notingGrants } from "#src/access/earlier-grants.ts";
import { unchangedRoles, type UnusedAccess, unusedAccess } from "#src/access/unused-writes.ts";
import { usedWrites } from "#src/access/used-writes.ts";
import { defineCommand } from "#src/commands/command.ts";
import { ExplainedError } from "#src/commands/explained-error.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { readingCapabilities } from "#src/commands/reader/reading-capabilities.ts";
import { isWithin } from "#src/platform-client/uid.ts";
import { hours } from "#src/time/durations.ts";
import { type AuditRecord, auditRecords } from "./audit-records.ts";
import { groupNamed } from "./named.ts";
import { type Answer, answerAccess, type OpenedAccess } from "./open-access.ts";
import { accessSettings } from "./settings.ts";
import { unusedAnswer } from "./unused-answer.ts";

const dayMs = hours(24);

export default defineCommand({
  summary: "print which write capabilities nobody has used, and the smallest role that would do",
  description: `Compares role bindings with the audit log of the platform, and changes nothing:
  muster access unused --days 90 --group acme/shop
A capability to create, update or delete is unused if no successful call of the identity needed it since then. Reads leave no record, and are never called unused. The proposed role is the smallest built-in one that keeps every read and every used write; if all smaller ones would lose reads, these are named. You need audit.list, which the role owner has; where you do not have it, the answer is unknown. Role bindings that were created or changed within the period, or whose role was changed, are not judged.`,
  settings: {
    days: settings.flagOnly(
      settings.required(
        settings.integer(1, 36_500),
        "How many days to look back. It is an error if the audit log begins later.",
      ),
    ),
    group: settings.flagOnly(
      settings.optional(
        { ...settings.text, placeholder: "GROUP" },
        "Only role bindings in this group and below it: its uid, or its name or path if that is unique. (default: all that you can read)",
      ),
    ),
    ...accessSettings,
  },
  run: (values, context) =>
    answerAccess(values, context, (access) => answerUnused(access, values, context.signal), [
      ...readingCapabilities,
      "audit.list",
    ]),
});

async function answerUnused(
  access: OpenedAccess,
  { days, group }: { readonly days: number; readonly group: string | undefined },
  signal: AbortSignal,
): Promise<Answer> {
  const { model, now } = access;
  const at = group === undefined ? undefined : groupNamed(model, group);
  const since = now - days * dayMs;
  await requireRecordsFrom(since, access, signal);
  const unused = await findUnused(access, { at, since }, signal);
  return unusedAnswer(access, { ...unused, at, days, since, listedBelow: listedBelow(model, at) });
}

/** An old record proves that records are kept for as long: the platform deletes the oldest ones first. */
async function requireRecordsFrom(since: number, { api, now }: OpenedAccess, signal: AbortSignal): Promise<void> {
  for await (const { createTime } of auditRecords(api, {}, signal)) {
    const oldest = Date.parse(createTime);
    if (oldest <= since) return;
    const days = Math.floor((now - oldest) / dayMs);
    const fix = days > 0 ? `give --days ${days} at most` : "ask again tomorrow, with --days 1";
    throw new Error(
      `--days: the oldest audit record that you can read is of ${createTime}, so older ones are not kept, or the platform is younger: ${fix}`,
    );
  }
  throw new ExplainedError(
    "permission-denied",
    "you can read no audit record: you need audit.list, which the role owner has",
  );
}

async function findUnused(
  access: OpenedAccess,
  { at, since }: { readonly at: string | undefined; readonly since: number },
  signal: AbortSignal,
): Promise<UnusedAccess> {
  const { api, model } = access;
  const grants = new Map<string, EarlierGrants>();
  const roles = unchangedRoles(model, since);
  const used = await usedWrites(model, roles, notingGrants(changesFor({ api, at, since }, signal), grants));
  const bindings = model.state.bindings.filter((binding) => at === undefined || isWithin(groupOf(binding), at));
  const canReadRecords = recordsReader(access);
  return unusedAccess(model, { bindings, roles, used, grants, since, canReadRecords });
}

/** The changes that may have needed a role binding at the group or below it: all of them if no group is given. */
async function* changesFor(
  { api, at, since }: Pick<OpenedAccess, "api"> & { readonly at: string | undefined; readonly since: number },
  signal: AbortSignal,
): AsyncGenerator<AuditRecord> {
  yield* auditRecords(api, { since, resource: at }, signal);
  // To change who can assume an identity, one needs all that the identity has, also in other groups than its own.
  if (at !== undefined) yield* auditRecords(api, { since, method: "IdentitiesService/UpdateIdentity" }, signal);
}

/** Whether the audit records of a group, and of everything below it, were read. */
function recordsReader({ model, now }: OpenedAccess): (group: string) => boolean {
  const known = new Map<string, boolean>();
  return (group) => {
    const canRead = known.get(group) ?? callerCan(model, "CAP_AUDIT_LIST", group, now);
    known.set(group, canRead);
    return canRead;
  };
}

/** The groups in and below which role bindings were listed; undefined if all were. */
function listedBelow(model: AccessModel, at: string | undefined): readonly string[] | undefined {
  if (model.state.seesEverything) return undefined;
  const listed = listedGroups(model);
  if (at === undefined) return listed;
  return listed.some((group) => isWithin(at, group)) ? undefined : listed.filter((group) => isWithin(group, at));
}
