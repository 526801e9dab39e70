import type { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import type { Resource } from "./list-all.ts";

/** The number of role bindings that one call creates, all or none. */
export const batchSize = 5;

export interface AcknowledgedWrites {
  readonly created: Set<string>;
  readonly deleted: Set<string>;
  /** Deletions that were sent. Without a response they may or may not have happened. */
  readonly deletionSent: Set<string>;
  /** The number of successful responses to writes. */
  count: number;
}

export function noWrites(): AcknowledgedWrites {
  return { created: new Set(), deleted: new Set(), deletionSent: new Set(), count: 0 };
}

/**
 * Writes in a group until the connection fails or `isOver`: creates identities, five role bindings of each in one
 * call, and deletes every third identity, which deletes its role bindings too.
 * @throws {PlatformError} if the platform responds with an error
 */
export async function writeUntil(
  isOver: () => boolean,
  platform: PlatformAdmin,
  group: string,
  role: string,
  acknowledged: AcknowledgedWrites,
): Promise<void> {
  for (let number = 0; !isOver(); number++) {
    const claimMatch = { issuer: "https://issuer.example.com", subject: "s" };
    try {
      const identity = await platform.create("identities", group, { name: "i", claimMatch });
      recordCreation(acknowledged, identity);
      const binding = { parent: group, roleBinding: { identityUid: identity.uid, roleUid: role } };
      const batch = { parent: group, requests: Array.from({ length: batchSize }, () => binding) };
      const { roleBindings }: { roleBindings: Resource[] } = await platform.call(
        "POST",
        "roleBindings:batchCreate",
        batch,
      );
      for (const created of roleBindings) recordCreation(acknowledged, created);
      if (number % 3 !== 0) continue;
      for (const { uid } of [identity, ...roleBindings]) acknowledged.deletionSent.add(uid);
      await platform.delete("identities", identity.uid);
      for (const { uid } of [identity, ...roleBindings]) acknowledged.deleted.add(uid);
      acknowledged.count++;
    } catch (error) {
      // The process was killed. An error response of the platform, in contrast, fails the loop.
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

function recordCreation(acknowledged: AcknowledgedWrites, { uid }: Resource): void {
  acknowledged.created.add(uid);
  acknowledged.count++;
}
