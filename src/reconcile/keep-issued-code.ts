import type { Kind } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { CodeStore } from "./observe/issued-codes.ts";
import type { ReconcileState } from "./observe/observed.ts";
import type { PlatformStep } from "./policy/step.ts";

/**
 * Keeps the code in the response to `step`, if there is one, and forgets that of what `step` deleted.
 * @returns what to remember of the resource that has the code, which is not part of it.
 */
export function keepIssuedCode(
  codes: CodeStore,
  { issued }: Kind,
  step: PlatformStep,
  created: ExternalResource | undefined,
): ReconcileState["issued"] {
  if (issued !== null && step.do === "delete") codes.forget(step.uid);
  if (issued === null || step.do !== "create" || created === undefined) return undefined;
  codes.keep(created.uid, issued.codeOf(created));
  return { uid: created.uid };
}
