import type { Program } from "#test/support/bench/bundle.ts";
import type { Figure, Fill } from "./figures.ts";
import { filledFile } from "./fill.ts";
import { measure } from "./measure.ts";
import type { Backend, PlatformBenchOptions } from "./options.ts";
import { startSubject } from "./subject.ts";

/** Each case runs for this long before it is measured: the code is compiled and caches fill. */
const warmUpSeconds = 1;

export interface RunOptions extends Pick<PlatformBenchOptions, "cases" | "callers" | "seconds"> {
  readonly backend: Backend;
  readonly size: number;
  /** The folder of the filled databases. */
  readonly data: string;
}

/** Measures the cases on one backend with one size. @param report called with each figure when it is known */
export async function run(
  program: Program,
  { backend, size, data, cases, callers, seconds }: RunOptions,
  report: (found: { readonly fill: Fill } | { readonly figure: Figure }) => void,
): Promise<void> {
  const filled = await filledFile(data, size);
  const subject = await startSubject(program, { backend, filled, callers });
  try {
    const fillSeconds = backend === "sqlite" ? filled.seconds : subject.copySeconds;
    if (fillSeconds !== undefined) report({ fill: { backend, size, seconds: fillSeconds } });
    for (const name of cases) {
      await subject.callers.run(warmUpSeconds, await subject.callsOf(name));
      report({ figure: { backend, size, case: name, ...(await measure(subject, name, seconds)) } });
    }
  } finally {
    await subject.close();
  }
}
