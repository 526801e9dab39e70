import { create, type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { textRuleOf } from "#src/platform/contract/field-rules.ts";
import { oddText } from "./odd-values.ts";
import type { Random } from "./random.ts";
import type { Hints } from "./value-of-schema.ts";

type Properties = Record<string, unknown>;

/**
 * The message of a request. Most values follow the rules of their fields; some cannot be written in JSON, for example
 * an unknown number of an enum.
 */
export function randomMessage(desc: DescMessage, random: Random, hints: Hints, depth = 0): Message {
  const message = create(desc);
  const properties = message as unknown as Properties;
  for (const member of desc.members) {
    if (!random.chance(depth === 0 ? 0.7 : 0.8)) continue;
    if (member.kind === "oneof") {
      const field = random.pick(member.fields);
      properties[member.localName] = { case: field.localName, value: fieldValue(field, random, hints, depth) };
    } else properties[member.localName] = fieldValue(member, random, hints, depth);
  }
  return message;
}

function fieldValue(field: DescField, random: Random, hints: Hints, depth: number): unknown {
  const one = () => itemValue(field, random, hints, depth);
  if (field.fieldKind === "list") return Array.from({ length: random.int(0, 3) }, one);
  if (field.fieldKind !== "map") return one();
  const key = field.mapKey === ScalarType.STRING ? text(field, random, hints) : String(random.int(0, 9));
  return random.chance(0.5) ? {} : { [key]: one() };
}

function itemValue(field: DescField, random: Random, hints: Hints, depth: number): unknown {
  if (field.enum !== undefined) {
    if (random.chance(0.03)) return random.pick([-1, 2 ** 31 - 1, 9_999]);
    return random.pick(field.enum.values).number;
  }
  if (field.message !== undefined) {
    if (depth > 4) return create(field.message);
    if (field.message.typeName === "google.protobuf.Timestamp") return drawTime(field.message, random);
    if (field.message.typeName === "google.protobuf.Duration") return drawTime(field.message, random);
    if (field.message.typeName === "google.protobuf.FieldMask") {
      const paths = [
        "name",
        "description",
        "name",
        "description",
        "*",
        "uid",
        "oidc.client_secret",
        "claim_match.subject",
        "email",
        "x",
        "",
      ];
      return Object.assign(create(field.message), {
        paths: Array.from({ length: random.int(0, 2) }, () => random.pick(paths)),
      });
    }
    return randomMessage(field.message, random, hints, depth + 1);
  }
  if (field.scalar === ScalarType.BOOL) return random.chance(0.5);
  if (field.scalar === ScalarType.INT32)
    return random.chance(0.9) ? random.int(0, 60) : random.pick([-1, 2 ** 31 - 1, -(2 ** 31)]);
  if (field.scalar === ScalarType.INT64) return random.pick([0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]);
  return text(field, random, hints);
}

/** A Timestamp or a Duration, sometimes out of range. */
function drawTime(desc: DescMessage, random: Random): Message {
  const now = BigInt(Math.floor(Date.now() / 1_000));
  const seconds = random.weighted([
    [20, desc.typeName.endsWith("Duration") ? 60n : now + BigInt(random.int(-10_000_000, 10_000_000))],
    [1, 2n ** 63n - 1n],
    [1, -(2n ** 63n)],
    [1, 253_402_300_800n],
    [1, -62_135_596_801n],
  ]);
  return Object.assign(create(desc), {
    seconds,
    nanos: random.chance(0.8) ? 0 : random.pick([1, 999_999_999, -1, 2 ** 31 - 1, -(2 ** 31)]),
  });
}

function text(field: DescField, random: Random, hints: Hints): string {
  if (random.chance(0.03)) return oddText(random).toWellFormed();
  const rule = textRuleOf(field);
  const schema =
    rule === undefined
      ? {}
      : { pattern: rule.pattern.source, ...(rule.format === undefined ? {} : { format: rule.format }) };
  const hinted = hints.text(field.jsonName, schema, random) ?? hints.text(field.name, schema, random);
  return hinted ?? random.pick(["", "a", "b", "fuzz", "name desc", "sha256:0"]);
}
