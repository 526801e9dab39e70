import type { MusterProcess } from "#test/support/harness/muster-process.ts";

/** Why an operator may end by itself: another one leads, or may soon. */
const leaseLost = /the Lease (was not renewed for \d+ ms|was deleted|is held by )/;

/** The operators that ended by themselves although they held the Lease, or waited for it: nobody may notice a crash. */
export function crashesOf(operators: readonly MusterProcess[]): string[] {
  return operators.flatMap(({ exitCode, plainOutput }, number) =>
    exitCode === null || leaseLost.test(plainOutput)
      ? []
      : [`P: operator ${number} ended with ${exitCode}: ${plainOutput.trimEnd()}`],
  );
}
