import { hash, timingSafeEqual } from "node:crypto";
import { hours } from "#src/time/durations.ts";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { isEqualIgnoringAsciiCase } from "#src/text/ascii-case.ts";
import type { AuthoredWriter } from "../audit/authored-writer.ts";
import { groupInvites } from "../collections/group-invites.ts";
import { isWithin, parentOf } from "../contract/uid.ts";
import type { GroupInvite } from "../gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { type Reader, statement } from "../store/database.ts";
import { useOnce, wasUsed } from "../tokens/used-tokens.ts";
import type { Person } from "./login-request.ts";

const byKeyId = statement((db, p: { keyId: string }) =>
  db.selectFrom("group_invites").select("uid").where("key_id", "=", p.keyId).limit(2),
);

/** An invite, or why the person cannot use it. The reason is for the host alone. */
export type InviteResult =
  | { readonly kind: "valid"; readonly invite: GroupInvite; readonly group: string }
  | { readonly kind: "refused"; readonly reason: string };

/** The invite with a code; undefined if there is none that is valid now. */
export async function findInvite(reader: Reader, code: string, now: number): Promise<GroupInvite | undefined> {
  const keyId = /^([0-9a-f]{16})\.[\w-]{43}$/.exec(code)?.[1];
  if (keyId === undefined) return undefined;
  for (const { uid } of await reader.all(byKeyId, { keyId })) {
    const invite = await groupInvites.find(reader, uid);
    if (invite === undefined || !isCodeOf(invite, code)) continue;
    return invite.expirationTime === undefined || timestampMs(invite.expirationTime) <= now ? undefined : invite;
  }
  return undefined;
}

/** @param providerGroup the group of the provider that asserts who the person is */
export async function inviteFor(
  reader: Reader,
  code: string,
  { person, providerGroup, now }: { readonly person: Person; readonly providerGroup: string; readonly now: number },
): Promise<InviteResult> {
  const invite = await findInvite(reader, code, now);
  if (invite === undefined)
    return { kind: "refused", reason: "there is no such invite, or it has expired or was used" };
  const group = parentOf(invite.uid) ?? "";
  // A provider elsewhere belongs to somebody else, and could assert any e-mail address.
  if (!isWithin(providerGroup, group))
    return { kind: "refused", reason: "the identity provider is not of the group of the invite or of one above it" };
  if (invite.email !== "" && !isAddressOf(person, invite.email))
    return { kind: "refused", reason: "the invite is for another e-mail address, or the provider has not verified it" };
  return { kind: "valid", invite, group };
}

/** A single-use invite with which an identity has logged in. */
interface Redemption {
  readonly code: string;
  /** The uid of the identity. */
  readonly identity: string;
  readonly now: number;
}

/** How long who has redeemed an invite can do so again (ms). */
const repeatable = hours(24);

/**
 * Deletes a single-use invite, and remembers until it would have expired, or for a day, who has redeemed it: the response to that login
 * may have been lost.
 */
export async function endInvite(tx: AuthoredWriter, invite: GroupInvite, redemption: Redemption): Promise<void> {
  await groupInvites.delete(tx, invite.uid);
  const { expirationTime } = invite;
  const end = expirationTime === undefined ? redemption.now : timestampMs(expirationTime);
  const expires = Math.min(end, redemption.now + repeatable);
  const { identity: owner, now } = redemption;
  await useOnce(tx, { token: redemptionOf(redemption), owner, expires }, now);
}

/** Whether the identity has redeemed the single-use invite. */
export function hasRedeemed(reader: Reader, redemption: Redemption): Promise<boolean> {
  return wasUsed(reader, redemptionOf(redemption), redemption.now);
}

function redemptionOf({ code, identity }: Redemption): string {
  return `${code} redeemed by ${identity}`;
}

function isCodeOf({ code }: GroupInvite, given: string): boolean {
  const digest = hash("sha256", given, "hex");
  return code.length === digest.length && timingSafeEqual(Buffer.from(code), Buffer.from(digest));
}

function isAddressOf({ email, emailVerified }: Person, address: string): boolean {
  return emailVerified && email !== undefined && isEqualIgnoringAsciiCase(email, address);
}
