import type { MusterProcess } from "#test/support/harness/muster-process.ts";

/** Another operator leads, or may soon; or the API server, which has just started, does not know its RBAC rules yet. */
const expected = /the Lease (was not renewed for \d+ ms|was deleted|is held by )|namespaces "kube-system" is forbidden/;

/** The operators that ended by themselves without such a reason: nobody else notices a crash, because they are started again. */
export function crashesOf(operators: readonly MusterProcess[]): string[] {
  return operators.flatMap(({ exitCode, plainOutput }, number) =>
    exitCode === null || expected.test(plainOutput)
      ? []
      : [`P: operator ${number} ended with ${exitCode}: ${plainOutput.trimEnd()}`],
  );
}
