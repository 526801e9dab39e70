import type { Drift } from "#src/api/status.ts";

// What others changed on the platform.

export function driftReported(fields: string): string {
  return `${changedOutside(fields)} The change is kept because spec.policy.drift is Report. Set it to Correct to revert the change, or change the spec to match.`;
}

export function driftFought(fields: string): string {
  return `${changedOutside(fields)} Muster reverted such changes three times within an hour. Find the other writer and stop it; Muster reverts the change again when the hour is over.`;
}

function changedOutside(fields: string): string {
  return `Changed on the platform outside of Kubernetes: ${fields}.`;
}

export function valuesNotKept(drift: readonly Drift[]): string {
  const fields = drift.map(({ field, expected, actual }) => `spec.${field}: "${expected}" is stored as "${actual}"`);
  return `The platform accepted the update but stored other values. ${fields.join("; ")}. Change the spec to the stored values.`;
}

export function driftCorrected(fields: string): string {
  return `Reverted to the spec: ${fields}.`;
}
