// Runs in the measured operator, before its program (`node --import`): counts what the process does, and gives the counts to whoever
// asks on the port MUSTER_COUNTER_PORT. It counts with V8's own counters, so that the program needs no code for it.
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import { GCProfiler, getHeapStatistics } from "node:v8";

/** What the process did since the counts were last taken. */
export interface Counts {
  /** How often each function of the program was called, by its name. */
  readonly calls: Readonly<Record<string, number>>;
  readonly json: Readonly<Record<"parsed" | "written", { readonly texts: number; readonly characters: number }>>;
  readonly allocatedBytes: number;
}

const { parse, stringify } = JSON;
const json = { parsed: { texts: 0, characters: 0 }, written: { texts: 0, characters: 0 } };
JSON.parse = (text, reviver) => {
  json.parsed.texts += 1;
  json.parsed.characters += text.length;
  return parse(text, reviver) as unknown;
};
JSON.stringify = ((...given: Parameters<typeof stringify>) => {
  const text = stringify(...given) as string | undefined;
  json.written.texts += 1;
  json.written.characters += text?.length ?? 0;
  return text;
}) as typeof stringify;

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

let collections = new GCProfiler();
collections.start();
let usedBefore = getHeapStatistics().used_heap_size;

/** What was allocated: by how much the heap grew between one collection and the next. */
function allocatedBytes(): number {
  const { statistics } = collections.stop() ?? { statistics: [] };
  let [used, allocated] = [usedBefore, 0];
  for (const { beforeGC, afterGC } of statistics) {
    allocated += beforeGC.heapStatistics.usedHeapSize - used;
    used = afterGC.heapStatistics.usedHeapSize;
  }
  const now = getHeapStatistics().used_heap_size;
  allocated += now - used;
  usedBefore = now;
  collections = new GCProfiler();
  collections.start();
  return allocated;
}

/** Taking the coverage sets its counts to 0. */
async function calls(): Promise<Record<string, number>> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const counts: Record<string, number> = {};
  for (const { functions } of result.filter(({ url }) => /\/muster(?:\/[^/]*)?\.mjs$/.test(url)))
    for (const { functionName, ranges } of functions)
      if (functionName !== "") counts[functionName] = (counts[functionName] ?? 0) + (ranges[0]?.count ?? 0);
  return counts;
}

createServer((_, response) => {
  void (async () => {
    const allocated = allocatedBytes();
    const taken = { calls: await calls(), json: structuredClone(json), allocatedBytes: allocated };
    for (const each of [json.parsed, json.written]) Object.assign(each, { texts: 0, characters: 0 });
    response.end(stringify(taken));
  })();
})
  .listen(Number(process.env["MUSTER_COUNTER_PORT"]), "127.0.0.1")
  .unref();
