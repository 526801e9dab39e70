const declaration = "export function decide(";

/** The file whose function is recorded, as the end of its path. */
export const recordedFile = "/src/reconcile/policy/decide.ts";
/** The environment variable with the folder of the recording. */
export const recordingVariable = "MUSTER_RECORD_DECISIONS";

/**
 * The source text of the policy's entry, with a `decide` that records each call. The policy has no hook for that: it is pure.
 * @throws {Error} if the text does not declare `decide` once
 */
export function withRecording(source: string): string {
  if (source.split(declaration).length !== 2) throw new Error(`${recordedFile} does not have "${declaration}" once`);
  return `import { record } from "#test/decisions/recorder.ts";
${source.replace(declaration, "function decideUnrecorded(")}
export function decide(observed, kind) {
  const decision = decideUnrecorded(observed, kind);
  record(observed, kind.name, decision.step);
  return decision;
}
`;
}
