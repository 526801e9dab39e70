import type { LoadProgress } from "#src/platform/load/load.ts";

export interface ProgressDisplay {
  readonly report: (progress: LoadProgress) => void;
  /** Takes the bar away, where there is one. */
  readonly clear: () => void;
}

const barWidth = 30;
const clearLine = "\r\u001b[K";
/** In a pipe there is a line for each so many percent of a phase. */
const step = 10;

/** A bar on a terminal; elsewhere a plain line now and then. */
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
      if (progress.phase !== phase) [phase, next] = [progress.phase, step];
      if (percentOf(progress) < next) return;
      output.write(`${describe(progress)}\n`);
      next = Math.floor(percentOf(progress) / step) * step + step;
    },
    clear: () => {},
  };
}

function describe(progress: LoadProgress): string {
  const { phase, documents } = progress;
  return `${phase} ${percentOf(progress)} % (${documents.toLocaleString("en")} documents)`;
}

/** Never more than all of it, though a file may grow while it is read. */
function percentOf({ bytes, totalBytes }: LoadProgress): number {
  return totalBytes === 0 ? 100 : Math.min(100, Math.floor((bytes / totalBytes) * 100));
}
