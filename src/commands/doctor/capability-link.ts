import { defaultKinds } from "#src/api/tenant.ts";
import type { OperatorPlace } from "#src/commands/reader/operator-place.ts";
import { readFix } from "#src/commands/reader/read-failure.ts";
import type { Link } from "#src/commands/why/link.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import { readPermissions } from "#src/platform-client/permissions.ts";
import { shortList } from "#src/text/short-list.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import { doctorInPod } from "./doctor-in-pod.ts";

export interface CapabilityQuestion {
  readonly api: ReadApi;
  /** The uid of the operator's identity. */
  readonly identity: string;
  readonly rootGroups: readonly string[];
  readonly kinds: readonly Kind[];
  readonly operator: OperatorPlace;
  /** Whether the caller sees every role binding of the identity: it is the identity itself, or an administrator. */
  readonly seesAll: boolean;
}

/**
 * Whether the identity may list what every Tenant may declare below its root groups. A Tenant that lists other kinds reports
 * itself what the identity lacks for them. What it may write is a matter of each Tenant:
 * with credentials of its own, the operator's identity writes nothing.
 */
export async function capabilityLink(
  { api, identity, kinds, operator, rootGroups, seesAll }: CapabilityQuestion,
  signal: AbortSignal,
): Promise<Link> {
  const base = { link: "capabilities", subject: identity };
  try {
    const { permissions } = await readPermissions(api, identity, signal);
    const lists = kinds
      .filter(({ name }) => defaultKinds.some((one) => one === name))
      .map(({ collection }) => collection.listCapability);
    const missing = rootGroups.flatMap((group) =>
      lists.filter((one) => !permissions.allow(one, group)).map((one) => `${one} in ${group}`),
    );
    if (missing.length === 0)
      return {
        ...base,
        state: "ok",
        message: `It may list every kind in ${rootGroups.length === 1 ? "the root group" : `all ${rootGroups.length} root groups`}.`,
      };
    if (!seesAll)
      return {
        ...base,
        state: "unknown",
        message: `You do not see a role binding that gives it ${shortList(missing)}, and perhaps may not list it.`,
        // Its own identity sees every role binding of its own.
        fix: { text: "Ask in the operator's pod, whose identity sees all of them:", command: doctorInPod(operator) },
      };
    return {
      ...base,
      state: "problem",
      reason: "PermissionDenied",
      message: `It lacks ${shortList(missing)}.`,
      fix: "Bind a role that has them to the identity, in these groups or above: viewer to list, owner to manage everything.",
    };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return {
      ...base,
      state: "unknown",
      message: `What it may do cannot be read: ${oneLine(error.message)}`,
      fix: readFix(error),
    };
  }
}
