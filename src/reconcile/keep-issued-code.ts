import type { Kind } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { CodeStore } from "./observe/issued-codes.ts";
import type { Observed } from "./observe/observed.ts";
import type { ReconcileState } from "./observe/reconcile-state.ts";
import { fieldDifferences } from "./policy/field-differences.ts";
import type { PlatformStep } from "./policy/step.ts";

/**
 * Keeps the code in the response to `step`, if there is one, and forgets that of what `step` deleted. Where the platform made
 * something else than what was requested, nobody is to get the code.
 * @returns what to remember of the resource that has the code, which is not part of it.
 */
export function keepIssuedCode(
  codes: CodeStore,
  kind: Kind,
  { references }: Observed,
  step: PlatformStep,
  created: ExternalResource | undefined,
): ReconcileState["issued"] {
  const { identification } = kind;
  if (identification.by === "secret" && step.do === "delete") codes.forget(step.uid);
  if (identification.by !== "secret" || step.do !== "create" || created === undefined) return undefined;
  const { uid } = created;
  const drift = references.are === "resolved" ? fieldDifferences(kind, references.desired, created) : [];
  if (drift.length > 0) return { uid, failed: true, drift };
  codes.keep(uid, identification.code.codeOf(created));
  return { uid };
}
