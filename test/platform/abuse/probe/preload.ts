import { writeSync } from "node:fs";

/*
 * Loaded into the platform's process before the platform. Four times a second, it writes the longest block of the event
 * loop since the last line to the log. The time of a block is what the main thread computed during it: another process on
 * the same core, which makes it wait, does not count.
 */

/** How often the timer fires while nothing blocks (ms). */
const interval = 5;
const linesPerSecond = 4;

let longest = 0;
let [wall, cpu] = now();
setInterval(() => {
  const [wallNow, cpuNow] = now();
  longest = Math.max(longest, Math.min(wallNow - wall - interval, cpuNow - cpu));
  [wall, cpu] = [wallNow, cpuNow];
}, interval).unref();
setInterval(() => {
  writeSync(2, `${JSON.stringify({ level: "info", msg: "event loop", longestBlock: longest })}\n`);
  longest = 0;
}, 1_000 / linesPerSecond).unref();

/** Milliseconds of wall-clock time, and of CPU time of the main thread. */
function now(): [number, number] {
  const { user, system } = process.threadCpuUsage();
  return [performance.now(), (user + system) / 1_000];
}
