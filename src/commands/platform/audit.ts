import { once } from "node:events";
import { type AuditRecord, readAuditLog } from "#src/platform/audit/audit-log.ts";
import { nameOf } from "#src/platform/audit/author.ts";
import { isUid } from "#src/platform/contract/uid.ts";
import { defineCommand } from "#src/commands/command.ts";
import { anyOutput, type Column, recordFormat } from "#src/commands/output/output-format.ts";
import { dataLocation, dataSettings, openExistingDatabase } from "./data.ts";
import * as settings from "#src/commands/settings/settings.ts";

export default defineCommand({
  summary: "print the audit log of a platform: who changed what",
  settings: {
    ...dataSettings,
    since: settings.optional(time(), "Only changes at or after this time."),
    until: settings.optional(time(), "Only changes before this time."),
    uid: settings.optional(resourceUid(), "Only changes of this resource and of everything below it."),
    actor: settings.optional(
      settings.text,
      "Only changes by this actor: the uid of an identity; admin (the admin token without a name); admin/NAME (a named admin); host (a command on the data, such as load); or platform (the platform itself).",
    ),
    output: anyOutput("json"),
  },
  run: async (values, { stdout, signal }) => {
    const { since, until, uid, actor } = values;
    const { header, format } = await recordFormat(values.output, columns);
    const database = await openExistingDatabase(dataLocation(values));
    try {
      stdout.write(header);
      for await (const record of readAuditLog((work) => database.read(work), { since, until, uid, actor })) {
        signal.throwIfAborted();
        if (!stdout.write(format(record))) await once(stdout, "drain", { signal });
      }
    } finally {
      await database.close();
    }
  },
});

/** A uid is the last column, because it is long. The changed values are in the other formats. */
const columns: readonly Column<AuditRecord>[] = [
  { title: "TIME", of: ({ time: at }) => at, width: 24 },
  { title: "ACTOR", of: ({ actor }) => nameOf(actor).replace(/^.*\/(?=[0-9a-f]{16}$)/, "…/"), width: 18 },
  { title: "ACTION", of: ({ action }) => action, width: 6 },
  { title: "TYPE", of: ({ type }) => type, width: 12 },
  { title: "UID", of: ({ uid }) => uid, width: 0 },
];

/** Milliseconds since the epoch. */
function time() {
  return {
    placeholder: "TIME",
    parse: (value: string): number => {
      const parsed = Date.parse(value);
      if (!/^\d{4}-\d{2}-\d{2}/.test(value) || Number.isNaN(parsed))
        throw new Error(`"${value}" is not a time, such as 2026-11-21T08:00:00Z or 2026-11-21`);
      return parsed;
    },
  };
}

function resourceUid() {
  return {
    placeholder: "UID",
    parse: (value: string): string => {
      if (!isUid(value))
        throw new Error(`"${value}" is not a uid: 40 hex digits, then / and 16 hex digits for each level below`);
      return value;
    },
  };
}
