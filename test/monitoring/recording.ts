import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What Prometheus adds to each sample of a target. */
export interface TargetLabels {
  /** Where the metrics of several clusters are in one store. */
  readonly cluster?: string;
  readonly job: string;
  readonly namespace: string;
  readonly pod: string;
  readonly instance: string;
}

export interface Scrape {
  /** Seconds since the epoch. */
  readonly time: number;
  readonly labels: TargetLabels;
  /** The response in the text format of Prometheus; null if there was none. */
  readonly text: string | null;
}

/** The metrics of a real run: a few scrapes of each target. */
export interface Recording {
  readonly name: string;
  readonly scrapes: readonly Scrape[];
}

const folder = join(import.meta.dirname, "recordings");

/** Metrics of Node.js that no rule and no dashboard uses are not recorded. */
const unused = /^(?:nodejs|process)_(?!eventloop_lag_p99_seconds|resident_memory_bytes|cpu_seconds_total)/;

/**
 * Writes a recording as text. The first scrape of a target is complete; each further one has only the lines that differ from
 * the scrape before, and the series that ended, with a minus sign.
 */
export async function writeRecording({ name, scrapes }: Recording): Promise<void> {
  const previous = new Map<string, readonly string[]>();
  const blocks = scrapes.map(({ time, labels, text }) => {
    const header = `=== ${time} ${JSON.stringify(labels)}${text === null ? " down" : ""}`;
    if (text === null) return header;
    const lines = text.split("\n").filter((line) => isRecorded(line));
    const before = previous.get(labels.pod) ?? [];
    previous.set(labels.pod, lines);
    const known = new Set(before);
    const now = new Set(lines.map(seriesOf));
    const ended = before.map(seriesOf).filter((series) => !now.has(series));
    return [header, ...lines.filter((line) => !known.has(line)), ...ended.map((series) => `- ${series}`)].join("\n");
  });
  await writeFile(join(folder, `${name}.txt`), `${blocks.join("\n")}\n`);
}

export async function readRecording(name: string): Promise<Recording> {
  const blocks = (await readFile(join(folder, `${name}.txt`), "utf8")).split(/^=== /m).slice(1);
  const previous = new Map<string, Map<string, string>>();
  const scrapes = blocks.map((block): Scrape => {
    const [header = "", ...changes] = block.trimEnd().split("\n");
    const [, time, json = "", down] = /^(\S+) (\{.*\})( down)?$/.exec(header) ?? [];
    const labels = JSON.parse(json) as TargetLabels;
    if (down !== undefined) return { time: Number(time), labels, text: null };
    const lines = new Map(previous.get(labels.pod));
    for (const line of changes)
      if (line.startsWith("- ")) lines.delete(line.slice(2));
      else lines.set(seriesOf(line), line);
    previous.set(labels.pod, lines);
    // The lines of one metric must follow its type.
    const types = [...lines.values()].filter((line) => line.startsWith("#"));
    const samples = [...lines.values()].filter((line) => !line.startsWith("#"));
    return { time: Number(time), labels, text: `${[...types, ...samples].join("\n")}\n` };
  });
  return { name, scrapes };
}

/** The names of all recordings, sorted. */
export async function recordingNames(): Promise<readonly string[]> {
  const files = await readdir(folder);
  return files.map((file) => file.replace(/\.txt$/, "")).toSorted();
}

function isRecorded(line: string): boolean {
  if (line === "" || line.startsWith("# HELP")) return false;
  return !unused.test(line.replace(/^# TYPE /, ""));
}

/** What identifies a line: the series of a sample, or the metric of a type. */
function seriesOf(line: string): string {
  return line.slice(0, line.lastIndexOf(" "));
}
