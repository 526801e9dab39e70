import { once } from "node:events";
import { readAuditLog } from "#src/platform/audit/audit-log.ts";
import { isUid } from "#src/platform/contract/uid.ts";
import { defineCommand } from "./command.ts";
import { dataPlace, dataSettings, openExistingStore } from "./platform-data.ts";
import * as settings from "./settings.ts";

export default defineCommand({
  summary: "tell who changed what on a platform, as lines of JSON",
  settings: {
    ...dataSettings,
    since: settings.optional(time(), "changes from this time on"),
    until: settings.optional(time(), "changes before this time"),
    uid: settings.optional(resourceUid(), "changes of this resource and of everything below it"),
    actor: settings.optional(settings.text, "changes by this one: the uid of an identity, or admin, host or platform"),
  },
  run: async (values, { stdout, signal }) => {
    const { since, until, uid, actor } = values;
    const store = await openExistingStore(dataPlace(values));
    try {
      for await (const record of readAuditLog((work) => store.read(work), { since, until, uid, actor })) {
        signal.throwIfAborted();
        if (!stdout.write(`${JSON.stringify(record)}\n`)) await once(stdout, "drain", { signal });
      }
    } finally {
      await store.close();
    }
  },
});

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
      if (!isUid(value)) throw new Error(`"${value}" is not a uid`);
      return value;
    },
  };
}
