import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import type { Resource } from "./list-all.ts";
import { OutcomeUnknown } from "./patient-platform.ts";

/** The number of role bindings that one call creates, all or none. */
export const batchSize = 5;
export const writersPerReplica = 6;

export interface AcknowledgedWrites {
  /** What was created, by uid, and when that was acknowledged (`performance.now()`). */
  readonly created: Map<string, { readonly resource: Resource; readonly at: number }>;
  /** When deletions were acknowledged, by uid. */
  readonly deleted: Map<string, number>;
  /** Deletions that were sent. Without a response they may or may not have happened. */
  readonly deletionSent: Set<string>;
  /** The number of successful responses to writes. */
  count: number;
}

export function noWrites(): AcknowledgedWrites {
  return { created: new Map(), deleted: new Map(), deletionSent: new Set(), count: 0 };
}

/**
 * Writes in a group until the connection fails or `isOver`: creates identities, five role bindings of each in one
 * call, and deletes every third identity, which deletes its role bindings too. No name is used twice.
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
      const identity = await platform.create("identities", group, { name: randomUUID(), claimMatch });
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
      for (const { uid } of [identity, ...roleBindings]) acknowledged.deleted.set(uid, performance.now());
      acknowledged.count++;
    } catch (error) {
      if (error instanceof OutcomeUnknown) continue;
      // The process was killed. An error response of the platform, in contrast, fails the loop.
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

function recordCreation(acknowledged: AcknowledgedWrites, resource: Resource): void {
  acknowledged.created.set(resource.uid, { resource, at: performance.now() });
  acknowledged.count++;
}

export async function untilAcknowledged(acknowledged: AcknowledgedWrites, count: number): Promise<void> {
  while (acknowledged.count < count) await sleep(1);
}

/** The uid of the role that writers bind. */
export async function viewerRole(platform: PlatformAdmin): Promise<string> {
  const { roles } = await platform.call("GET", "roles?name=viewer&uidp.in_root=true");
  return roles[0]?.uid ?? "";
}
