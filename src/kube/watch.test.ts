import { describe, expect, test } from "vitest";
import type { WatchEvent } from "./api.ts";
import { eventsOf, WatchStreamError } from "./watch.ts";

const event = (name: string) => ({ type: "ADDED", object: { apiVersion: "v1", kind: "K", metadata: { name } } });

async function* chunks(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === "string" ? new TextEncoder().encode(part) : part;
}

async function read(body: AsyncIterable<Uint8Array>, limit?: number): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  for await (const one of eventsOf(body, limit)) events.push(one);
  return events;
}

test("parses the same events however the bytes are split into chunks", async () => {
  const sent = [event("a"), event("größe-日本-🎉"), event("c")];
  const bytes = Buffer.from(sent.map((json) => `${JSON.stringify(json)}\n`).join(""));
  for (let size = 1; size <= bytes.length; size++) {
    const parts: Uint8Array[] = [];
    for (let start = 0; start < bytes.length; start += size) parts.push(bytes.subarray(start, start + size));
    expect(await read(chunks(...parts))).toEqual(sent);
  }
});

test("ignores an incomplete last line", async () => {
  expect(await read(chunks(`${JSON.stringify(event("a"))}\n{"type":"ADD`))).toEqual([event("a")]);
});

test("accepts empty lines and CRLF", async () => {
  expect(await read(chunks(`\n${JSON.stringify(event("a"))}\r\n\n`))).toEqual([event("a")]);
});

test("accepts an ERROR without metadata", async () => {
  const gone = { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } };
  expect(await read(chunks(`${JSON.stringify(gone)}\n`))).toEqual([gone]);
});

describe("rejects a line", () => {
  test.each([
    ["that is not JSON", "<html>\n"],
    ["that is a number", "7\n"],
    ["that is null", "null\n"],
    ["without a type", '{"object":{"metadata":{}}}\n'],
    ["with an unknown type", '{"type":"RENAMED","object":{"metadata":{}}}\n'],
    ["without an object", '{"type":"ADDED","object":null}\n'],
    ["without metadata", '{"type":"ADDED","object":{}}\n'],
  ])("%s", async (_, line) => {
    await expect(read(chunks(line))).rejects.toThrow(WatchStreamError);
  });

  test("that is too long", async () => {
    const part = "x".repeat(400);
    await expect(read(chunks(part, part, part), 1000)).rejects.toThrow("longer than 1000 bytes");
  });
});

test("errors do not contain the data", async () => {
  await expect(read(chunks("eyJhbGciOiJub25lIn0.secret\n"))).rejects.toThrow(/^a line of the watch is not JSON$/);
});
