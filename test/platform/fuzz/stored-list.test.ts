import { create, type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { collections } from "#src/platform/collections/collections.ts";
import { toJsonObject } from "#src/platform/json/write-json.ts";
import { storedList, storedListJson } from "#src/platform/service/stored-list.ts";
import { contractServices } from "#src/platform/tests/contract-fields.testing.ts";
import { Random } from "./random.ts";
import { randomMessage } from "./random-message.ts";

const responses = (await contractServices()).flatMap(({ methods }) => methods.map(({ output }) => output));

/** The List response of a collection in v2beta1. */
function listOf(schema: DescMessage): DescMessage {
  const found = responses.find(
    ({ fields, field }) => fields[0]?.message === schema && field["totalCount"] !== undefined,
  );
  if (found === undefined) throw new Error(`there is no list of ${schema.typeName}`);
  return found;
}

/** What a function returns or throws. */
function resultOf<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    return String(error);
  }
}

describe.each(collections.map(({ description: { schema } }) => [schema.name, schema] as const))(
  "the ready JSON of stored %ss",
  (name, schema) => {
    it("equals the JSON of the same messages, when it is made and when it is found again", () => {
      const desc = listOf(schema);
      const items = desc.fields[0]?.localName ?? "";
      const random = new Random(32, name);
      let written = 0;
      for (let round = 0; round < 300; round += 1) {
        const messages = Array.from({ length: random.int(0, 4) }, () =>
          randomMessage(schema, random, { text: () => undefined }),
        ) as MessageShape<DescMessage>[];
        const others = {
          totalCount: BigInt(round),
          skipped: random.int(0, 1),
          ...(round % 2 === 0 && { nextPageToken: "t" }),
        };
        const stored = resultOf(() => messages.map((message) => toBinary(schema, message)));
        // An int32 out of range, which no rule lets through.
        if (typeof stored === "string") continue;
        const expected = resultOf(() =>
          JSON.stringify(toJsonObject(desc, create(desc, { [items]: messages, ...others }))),
        );
        for (let time = 0; time < 2; time += 1)
          expect(resultOf(() => storedListJson(desc, storedList(desc, stored, others)))).toBe(expected);
        written += Number(expected.startsWith("{") && messages.length > 0);
      }
      expect(written).toBeGreaterThan(30);
    });

    it("is that of the messages that gRPC sends", () => {
      const desc = listOf(schema);
      const message = randomMessage(schema, new Random(33, name), { text: () => undefined });
      const list = storedList(desc, [toBinary(schema, message)], { totalCount: 1n });
      const plain = create(desc, { [desc.fields[0]?.localName ?? ""]: [message], totalCount: 1n });
      expect(toBinary(desc, list)).toEqual(toBinary(desc, plain));
    });
  },
);
