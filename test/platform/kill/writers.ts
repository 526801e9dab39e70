import { randomUUID } from "node:crypto";
import type { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import type { AcknowledgedWrites } from "./acknowledged-writes.ts";
import type { Resource } from "./list-all.ts";
import { OutcomeUnknown } from "./patient-platform.ts";

/** The number of role bindings that one call creates, all or none. */
export const batchSize = 5;
export const writersPerReplica = 6;

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
      acknowledged.addCreated([identity]);
      const binding = { parent: group, roleBinding: { identityUid: identity.uid, roleUid: role } };
      const batch = { parent: group, requests: Array.from({ length: batchSize }, () => binding) };
      const { roleBindings }: { roleBindings: Resource[] } = await platform.call(
        "POST",
        "roleBindings:batchCreate",
        batch,
      );
      acknowledged.addCreated(roleBindings);
      if (number % 3 !== 0) continue;
      const deleted = [identity, ...roleBindings].map(({ uid }) => uid);
      for (const uid of deleted) acknowledged.deletionSent.add(uid);
      await platform.delete("identities", identity.uid);
      acknowledged.addDeleted(deleted);
    } catch (error) {
      if (error instanceof OutcomeUnknown) continue;
      // The process was killed. An error response of the platform, in contrast, fails the loop.
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

/** The uid of the role that writers bind. */
export async function viewerRole(platform: PlatformAdmin): Promise<string> {
  const { roles } = await platform.call("GET", "roles?name=viewer&uidp.in_root=true");
  return roles[0]?.uid ?? "";
}
