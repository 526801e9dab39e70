import type { Kind } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { ReconcileState } from "./observe/reconcile-state.ts";
import type { SecretSource } from "./observe/secret-reads.ts";
import type { PlatformStep, SecretToSend } from "./policy/step.ts";

/** The Secret whose value `step` sends; undefined if it sends none. */
export function secretSentBy(step: PlatformStep): SecretToSend | undefined {
  if (step.do !== "create" && step.do !== "update") return undefined;
  return step.secret === "removed" ? undefined : step.secret;
}

/**
 * The step with the value of the Secret that it is to send. The value exists from here until the request is sent, and nowhere
 * else: it is not part of what is observed, decided, remembered or logged.
 * @returns undefined if the Secret is not at the version that was decided about any longer. @throws {KubeError}
 */
export async function withSecretValue(
  secrets: SecretSource,
  { secret }: Kind,
  step: PlatformStep,
  signal: AbortSignal,
): Promise<PlatformStep | undefined> {
  const toSend = secretSentBy(step);
  if (secret === null || toSend === undefined || (step.do !== "create" && step.do !== "update")) return step;
  const value = await secrets.value(toSend.at, toSend, signal);
  return value === undefined ? undefined : { ...step, body: secret.withValue(step.body, value) };
}

/** What to remember of the secret that the resource has after `step`, or that it has none; undefined if the step left it as it was. */
export function secretSentWith(
  { secret }: Kind,
  step: PlatformStep,
  written: ExternalResource | undefined,
): ReconcileState["secretSent"] {
  if (secret === null || written === undefined || (step.do !== "create" && step.do !== "update")) return undefined;
  if (step.secret === undefined && step.do === "update") return undefined;
  if (step.secret === undefined || step.secret === "removed") return { of: written.uid, secret: null };
  const { uid, resourceVersion, at } = step.secret;
  return { of: written.uid, secret: { uid, resourceVersion, key: at.key, updateTime: secret.updateTimeOf(written) } };
}
