import { expect } from "vitest";
import { ref } from "#test/support/harness/muster-objects.ts";
import { emptySecret, issuedIn } from "#test/support/harness/secret-objects.ts";
import type { System } from "#test/support/harness/system.ts";

/**
 * The uids of the invites that no object of `everyKind` has. Expects that the Secret has the code of the invite of the object,
 * and of no other, and waits until the Group reports the others as undeclared.
 */
export async function leftInvites(system: System, namespace: string): Promise<readonly string[]> {
  const { admin } = system.controlPlane;
  const { uid } = (await system.ready(ref("GroupInvite", namespace, "ada")))["status"];
  const invites = await system.admin.list("groupInvites");
  const issued = issuedIn(await admin.get(emptySecret(namespace, "invite-ada")));
  expect(issued?.uid).toBe(uid);
  const own = invites.find((one) => one.uid === uid);
  expect(issued?.code.startsWith(`${String(own?.["keyId"])}.`)).toBe(true);
  const left = invites.flatMap((one) => (one.uid === uid ? [] : [one.uid]));
  await system.waitFor(ref("Group", namespace, "shop"), (group) => {
    const undeclared: { readonly uid: string }[] = group?.["status"]?.undeclared ?? [];
    return left.every((one) => undeclared.some((reported) => reported.uid === one));
  });
  return left;
}
