import { hash, randomBytes } from "node:crypto";
import type { Downscoping } from "../authorization/caller.ts";
import type { Capability } from "../authorization/capability.ts";
import { isCurrent, securityStampOf } from "../authorization/security-stamp.ts";
import { isWithin } from "../contract/uid.ts";
import { type Reader, statement, type Writer } from "../store/database.ts";
import { deleteExpiredFrom } from "../store/expired-rows.ts";
import type { Tables } from "../store/schema/tables.ts";
import { settleAll } from "../store/settle-all.ts";
import type { ApiTokenContent } from "./api-token.ts";

/** Distinguishes a refresh token from an API token, for the platform, for people and for secret scanners. */
const prefix = "muster-refresh-";
const secretBytes = 32;

const insert = statement((db, p: Tables["refresh_families"]) =>
  db.insertInto("refresh_families").values({
    id: p.id,
    identity_uid: p.identity_uid,
    token_hash: p.token_hash,
    content: p.content,
  }),
);
const select = statement((db, p: { id: string }) =>
  db.selectFrom("refresh_families").selectAll().where("id", "=", p.id),
);
const rotate = statement((db, p: { id: string; token_hash: string; content: string }) =>
  db.updateTable("refresh_families").set({ token_hash: p.token_hash, content: p.content }).where("id", "=", p.id),
);
const remove = statement((db, p: { id: string }) => db.deleteFrom("refresh_families").where("id", "=", p.id));
const deleteFamiliesOf = statement((db, p: { identity: string }) =>
  db.deleteFrom("refresh_families").where("identity_uid", "=", p.identity),
);
const deleteExpired = deleteExpiredFrom("refresh_families");
/** Deletes the families of an identity that expire first, and keeps some. */
const deleteSurplus = statement((db, p: { identity: string; kept: number }) =>
  db.deleteFrom("refresh_families").where("id", "in", (families) =>
    families
      .selectFrom("refresh_families")
      .select("id")
      .where("identity_uid", "=", p.identity)
      .orderBy("id", "desc")
      // SQLite has no offset without a limit.
      .limit(1_000_000)
      .offset(p.kept),
  ),
);
const keysExpireAt = statement((db, p: { uid: string }) =>
  db.selectFrom("identities").select("expires").where("uid", "=", p.uid),
);

/** The content that a refresh requests; undefined keeps that of the family. */
export interface RequestedContent {
  readonly audiences: readonly string[] | undefined;
  readonly downscoping: Downscoping;
}

/** Why a refresh token is rejected: "wider" requests more than the family has. */
export type RefreshRejection =
  | { readonly kind: "rejected"; readonly reason: "unknown" | "wider" }
  | {
      readonly kind: "rejected";
      readonly reason: "reused";
      /** Whose family must be ended. */
      readonly content: Pick<ApiTokenContent, "identityUid" | "actor">;
    };

/** The result of using a refresh token. */
export type RefreshResult =
  | {
      readonly kind: "rotated";
      /** The content of the new API token. */
      readonly content: ApiTokenContent;
      /** The next refresh token. */
      readonly token: string;
      readonly expires: number;
    }
  | RefreshRejection;

/**
 * Starts a family. An identity has at most about `maximum` of them: the ones that expire first end. They are counted only
 * for one in 64 new families, because that reads all of them, and one in 16 deletes those that have expired.
 * @returns its first refresh token, of which only the hash is stored
 */
export async function startFamily(
  tx: Writer,
  content: ApiTokenContent,
  { now, expires, maximum }: { readonly now: number; readonly expires: number; readonly maximum: number },
): Promise<string> {
  const random = randomBytes(12 + secretBytes);
  const id = `${inOrder(expires)}${random.toString("hex", secretBytes)}`;
  const { token, token_hash } = tokenOf(id, random.subarray(0, secretBytes));
  const identity = content.identityUid;
  const chance = random.readUInt8(secretBytes);
  await settleAll([
    ...(chance < 256 / 16 ? [tx.run(deleteExpired, { end: inOrder(now + 1) })] : []),
    ...(chance < 256 / 64 ? [tx.run(deleteSurplus, { identity, kept: maximum - 1 })] : []),
    tx.run(insert, { id, identity_uid: identity, token_hash, content: serialize(content) }),
  ]);
  return token;
}

/**
 * Uses a refresh token and rotates it. A token that is reused has probably leaked, so the caller ends its family (RFC 9700).
 * The failure is returned, not thrown, because an error would roll back the end of the family.
 */
export async function useRefreshToken(
  tx: Writer,
  token: string,
  wanted: RequestedContent,
  now: number,
): Promise<RefreshResult> {
  const id = familyOf(token);
  const family = id === undefined ? undefined : await tx.first(select, { id });
  if (id === undefined || family === undefined || expiryOf(id) <= now) return { kind: "rejected", reason: "unknown" };
  if (!(await isAssumable(tx, family.identity_uid, now))) return { kind: "rejected", reason: "unknown" };
  if (family.token_hash !== hashOf(token)) {
    const { actor } = parse(family.identity_uid, "", family.content);
    return { kind: "rejected", reason: "reused", content: { identityUid: family.identity_uid, actor } };
  }
  // The end of all tokens of an identity deletes its families, so a family that exists may use the current value.
  const stamp = await securityStampOf(tx, family.identity_uid);
  const current = parse(family.identity_uid, stamp.value, family.content);
  if (!isCurrent(stamp, current.stamp)) return { kind: "rejected", reason: "unknown" };
  const content = downscoped(current, wanted);
  if (content === undefined) return { kind: "rejected", reason: "wider" };
  const next = tokenOf(id, randomBytes(secretBytes));
  await tx.run(rotate, { id, token_hash: next.token_hash, content: serialize(content) });
  return { kind: "rotated", content, token: next.token, expires: expiryOf(id) };
}

/** Whether a family exists. It is read before a token is used: without a family, nobody can make the platform write. */
export async function hasFamily(reader: Reader, id: string): Promise<boolean> {
  return (await reader.first(select, { id })) !== undefined;
}

/** The id of the family of a refresh token, of which nothing is verified; undefined if it is not a refresh token. */
export function familyOf(token: string): string | undefined {
  return /^muster-refresh-([0-9a-f]{36})\.[\w-]{43}$/.exec(token)?.[1];
}

/** Whose a family is. */
export interface FamilyOwner {
  readonly identity: string;
  readonly actor: ApiTokenContent["actor"];
  /** The id of the login that it came from; undefined if it came from an exchange. */
  readonly login: string | undefined;
}

/** Deletes one family, so that its refresh tokens end. @returns whose it was; undefined if there is none with the id */
export async function deleteFamily(tx: Writer, id: string): Promise<FamilyOwner | undefined> {
  const family = await tx.first(select, { id });
  if (family === undefined) return undefined;
  await tx.run(remove, { id });
  const { identityUid: identity, actor, stamp } = parse(family.identity_uid, "", family.content);
  return { identity, actor, login: stamp.login };
}

/** Ends all families of an identity. */
export async function revokeRefreshTokens(tx: Writer, identity: string): Promise<void> {
  await tx.run(deleteFamiliesOf, { identity });
}

async function isAssumable(tx: Reader, uid: string, now: number): Promise<boolean> {
  const identity = await tx.first(keysExpireAt, { uid });
  return identity !== undefined && (identity.expires === null || identity.expires > now);
}

/** Restricts the content further; `undefined` if the request exceeds what the family has. */
function downscoped(
  content: ApiTokenContent,
  { audiences, downscoping }: RequestedContent,
): ApiTokenContent | undefined {
  const { capabilities, groups } = content.downscoping;
  if (audiences?.some((audience) => !content.audiences.includes(audience))) return undefined;
  if (
    capabilities !== undefined &&
    [...(downscoping.capabilities ?? [])].some((capability) => !capabilities.has(capability))
  )
    return undefined;
  if (groups !== undefined && downscoping.groups?.some((group) => !groups.some((allowed) => isWithin(allowed, group))))
    return undefined;
  return {
    ...content,
    audiences: audiences ?? content.audiences,
    downscoping: { capabilities: downscoping.capabilities ?? capabilities, groups: downscoping.groups ?? groups },
  };
}

function tokenOf(id: string, secret: Buffer): { token: string; token_hash: string } {
  const token = `${prefix}${id}.${secret.toString("base64url")}`;
  return { token, token_hash: hashOf(token) };
}

function hashOf(token: string): string {
  return hash("sha256", token, "base64url");
}

/** A time (ms) as text that sorts by it, with which ids begin. */
function inOrder(time: number): string {
  return time.toString(16).padStart(12, "0");
}

/** When a family ends (ms). */
function expiryOf(id: string): number {
  return Number.parseInt(id.slice(0, 12), 16);
}

function serialize({
  audiences,
  downscoping: { capabilities, groups },
  actor,
  stamp: { key, login },
}: ApiTokenContent): string {
  return JSON.stringify({ audiences, actor, groups, capabilities: capabilities && [...capabilities], key, login });
}

function parse(identityUid: string, value: string, text: string): ApiTokenContent {
  const { audiences, actor, groups, capabilities, key, login } = JSON.parse(text) as Pick<
    ApiTokenContent,
    "audiences" | "actor"
  > & {
    groups?: readonly string[];
    capabilities?: readonly Capability[];
    key?: string;
    login?: string;
  };
  return {
    identityUid,
    stamp: { value, key, login },
    audiences,
    actor,
    downscoping: { groups, capabilities: capabilities === undefined ? undefined : new Set(capabilities) },
  };
}
