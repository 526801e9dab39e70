import { create, fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { timestampFromMs, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  ActorSchema,
  ChangeSchema,
  type Record as RecordMessage,
  RecordSchema,
} from "../gen/muster/platform/audit/v1beta1/record_pb.ts";
import { toJsonObject } from "../json/write-json.ts";
import type { AuditRecord } from "./audit-record.ts";
import { type Author, nameOf } from "./author.ts";

/** A record as the API returns it. */
export function messageOf(record: AuditRecord): RecordMessage {
  const { sequence, time, actor, action, form, changeCount, firstTime, type, uid, fields, method, code, details } =
    record;
  const changes = Object.entries(fields).map(([path, { old, new: next, omitted = false }]) => [
    path,
    create(ChangeSchema, { ...valueNamed("old", old), ...valueNamed("new", next), omitted }),
  ]);
  return create(RecordSchema, {
    id: String(sequence),
    createTime: timestampFromMs(Date.parse(time)),
    actor: actorOf(actor),
    action,
    method,
    resourceType: type,
    resource: uid,
    code,
    reason: details.reason ?? "",
    address: details.address ?? "",
    changes: Object.fromEntries(changes) as RecordMessage["changes"],
    ...(details.fields === undefined ? {} : { details: details.fields as JsonObject }),
    omitted: details.omitted ?? 0,
    form,
    changeCount,
    ...(firstTime === time ? {} : { firstTime: timestampFromMs(Date.parse(firstTime)) }),
  });
}

/** A record as JSON: in the List, in what is exported, and in the output of the command. */
export function jsonOf(record: AuditRecord): Readonly<Record<string, unknown>> {
  return toJsonObject(RecordSchema, messageOf(record));
}

function actorOf(author: Author) {
  const name = nameOf(author);
  switch (author.kind) {
    case "identity": {
      const { iss = "", sub = "" } = author.onBehalfOf ?? {};
      return create(ActorSchema, { name, issuer: iss, subject: sub });
    }
    case "host":
      return create(ActorSchema, { name, command: author.command });
    case "admin":
    case "platform":
    case "anonymous":
      return create(ActorSchema, { name });
  }
}

function valueNamed(name: "old" | "new", json: JsonValue | undefined): { [name: string]: Value } {
  return json === undefined ? {} : { [name]: fromJson(ValueSchema, json) };
}
