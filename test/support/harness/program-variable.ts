/** Names the bundle that `build-program.ts` has built. It must be set before `program.ts` is imported, which reads it. */
export const programVariable = "MUSTER_TEST_PROGRAM";
