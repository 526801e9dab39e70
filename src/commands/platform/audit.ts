import { once } from "node:events";
import { readAuditLog } from "#src/platform/audit/read-records.ts";
import { jsonOf } from "#src/platform/audit/record-message.ts";
import { isUid } from "#src/platform/contract/uid.ts";
import { PeopleOfRecords } from "#src/platform/records/people-of-records.ts";
import { defineCommand } from "#src/commands/command.ts";
import { anyOutput, type Column, recordFormat } from "#src/commands/output/output-format.ts";
import { dataLocation, dataSettings, withExistingDatabase } from "./data.ts";
import { type ShownPerson, shownPerson, withPerson } from "#src/commands/output/person-text.ts";
import * as settings from "#src/commands/settings/settings.ts";

export default defineCommand({
  summary: "print the audit log of a platform: changes, token exchanges and refused calls",
  description: `GET /audit/v1beta1/records returns the same records, with the same filters. Commands on the data need no token.
Records name people by uids. The person printed with an actor's uid is the one that the platform knows now.`,
  settings: {
    ...dataSettings,
    since: settings.optional(time(), "Only records from this time on."),
    until: settings.optional(time(), "Only records before this time."),
    resource: settings.optional(resourceUid(), "Only records about this resource and everything below it."),
    actor: settings.optional(
      settings.text,
      "Only records of this actor: the uid of an identity; admin (the admin token without a name); admin/NAME (a named admin); host (a command on the data, such as load); platform (the platform itself); or anonymous (a client that is not authenticated).",
    ),
    method: settings.optional(
      settings.text,
      "Only calls of this method: its name, or its end after a dot, such as GroupsService/CreateGroup.",
    ),
    code: settings.optional(settings.integer(0, 16), "Only calls with this gRPC code, such as 7 (PERMISSION_DENIED)."),
    output: anyOutput("json"),
  },
  run: async (values, { stdout, signal }) => {
    const { since, until, resource, actor, method, code } = values;
    const { header, format } = await recordFormat(values.output, columns);
    const filter = { since, until, resource, actor, method, code };
    await withExistingDatabase(dataLocation(values), async (database) => {
      stdout.write(header);
      const people = new PeopleOfRecords(database);
      for await (const record of readAuditLog((work) => database.read(work), filter)) {
        signal.throwIfAborted();
        const { actor: author } = record;
        const person = author.kind === "identity" ? await people.person(author.uid) : undefined;
        if (!stdout.write(format(withPersonOfActor(jsonOf(record), person)))) await once(stdout, "drain", { signal });
      }
    });
  },
});

type RecordJson = ReturnType<typeof jsonOf>;

function withPersonOfActor(record: RecordJson, known: Parameters<typeof shownPerson>[0] | undefined): RecordJson {
  const person = known === undefined ? undefined : shownPerson(known);
  return person === undefined ? record : { ...record, actor: { ...(record["actor"] as object), person } };
}

/** A uid is the last column, because it is long. The changed values are in the other formats. */
const columns: readonly Column<RecordJson>[] = [
  { title: "TIME", of: ({ createTime }) => String(createTime), width: 24 },
  { title: "ACTOR", of: ({ actor }) => actorText(actor as Actor), width: 18 },
  { title: "ACTION", of: ({ action }) => String(action), width: 8 },
  { title: "CODE", of: ({ code }) => String(code), width: 4 },
  { title: "TYPE", of: ({ resourceType }) => String(resourceType), width: 12 },
  { title: "RESOURCE", of: ({ resource }) => String(resource), width: 0 },
];

interface Actor {
  readonly name: string;
  readonly person?: ShownPerson;
}

function actorText({ name, person }: Actor): string {
  return withPerson(person, name.replace(/^.*\/(?=[0-9a-f]{16}$)/, "…/"));
}

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
