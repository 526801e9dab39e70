import type { LoadProgress } from "#src/platform/load/load.ts";

export interface ProgressDisplay {
  readonly report: (progress: LoadProgress) => void;
  /** Removes the progress bar, if there is one. */
  readonly clear: () => void;
}

const barWidth = 30;
const clearLine = "\r\u001b[K";
/** Without a terminal, a line is written each time that this many percent of a phase are done. */
const stepPercent = 10;

/** Shows a progress bar on a terminal, and plain lines elsewhere. */
export function showProgress(output: NodeJS.WritableStream & { readonly isTTY?: boolean }): ProgressDisplay {
  return output.isTTY === true ? bar(output) : lines(output);
}

function bar(output: NodeJS.WritableStream): ProgressDisplay {
  let shown = false;
  return {
    report: (progress) => {
      const full = Math.round((percentOf(progress) / 100) * barWidth);
      output.write(`${clearLine}${"█".repeat(full)}${"░".repeat(barWidth - full)} ${describe(progress)}`);
      shown = true;
    },
    clear: () => {
      if (shown) output.write(clearLine);
      shown = false;
    },
  };
}

function lines(output: NodeJS.WritableStream): ProgressDisplay {
  let phase: LoadProgress["phase"] | undefined;
  let next = 0;
  return {
    report: (progress) => {
      if (progress.phase !== phase) [phase, next] = [progress.phase, stepPercent];
      if (percentOf(progress) < next) return;
      output.write(`${describe(progress)}\n`);
      next = Math.floor(percentOf(progress) / stepPercent) * stepPercent + stepPercent;
    },
    clear: () => {},
  };
}

function describe(progress: LoadProgress): string {
  const { phase, documents } = progress;
  return `${phase} ${percentOf(progress)} % (${documents.toLocaleString("en")} documents)`;
}

/** At most 100, although a file may grow while it is read. */
function percentOf({ bytes, totalBytes }: LoadProgress): number {
  return totalBytes === 0 ? 100 : Math.min(100, Math.floor((bytes / totalBytes) * 100));
}
