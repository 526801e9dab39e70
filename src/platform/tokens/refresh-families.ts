import { hash, randomBytes } from "node:crypto";
import type { Downscoping } from "../access/caller.ts";
import type { Capability } from "../access/capability.ts";
import { type Reader, statement, type Writer } from "../store/database.ts";
import { isWithin } from "../contract/uid.ts";
import type { ApiTokenContent } from "./api-token.ts";

/** Tells a refresh token from an API token, for us, for people and for scanners of secrets. */
const prefix = "muster-refresh-";

const insert = statement(
  (db, p: { id: string; identity_uid: string; token_hash: string; expires: number; content: string }) =>
    db.insertInto("refresh_families").values({
      id: p.id,
      identity_uid: p.identity_uid,
      token_hash: p.token_hash,
      expires: p.expires,
      content: p.content,
    }),
);
const select = statement((db, p: { id: string }) =>
  db.selectFrom("refresh_families").selectAll().where("id", "=", p.id),
);
const rotate = statement((db, p: { id: string; token_hash: string; content: string }) =>
  db.updateTable("refresh_families").set({ token_hash: p.token_hash, content: p.content }).where("id", "=", p.id),
);
const end = statement((db, p: { id: string }) => db.deleteFrom("refresh_families").where("id", "=", p.id));
const endOf = statement((db, p: { identity: string }) =>
  db.deleteFrom("refresh_families").where("identity_uid", "=", p.identity),
);
const endOld = statement((db, p: { now: number }) => db.deleteFrom("refresh_families").where("expires", "<=", p.now));
const keysExpireAt = statement((db, p: { uid: string }) =>
  db.selectFrom("identities").select("expires").where("uid", "=", p.uid),
);

/** What a refresh asks for; undefined keeps what the family has. */
export interface RequestedContent {
  readonly audiences: readonly string[] | undefined;
  readonly downscoping: Downscoping;
}

/** A token that has been used: what it gives, and the one to use next. */
export interface RotatedToken {
  readonly content: ApiTokenContent;
  readonly token: string;
  readonly expires: number;
}

export type RefreshFailure = "unknown" | "usedBefore" | "wider";

/** Starts a family and gives its first refresh token, which is kept as a hash alone. */
export async function startFamily(tx: Writer, content: ApiTokenContent, now: number, expires: number): Promise<string> {
  await tx.run(endOld, { now });
  const id = randomBytes(12).toString("hex");
  const { token, token_hash } = newToken(id);
  await tx.run(insert, { id, identity_uid: content.identityUid, token_hash, expires, content: written(content) });
  return token;
}

/**
 * Uses a refresh token, once. One that was used before is in two hands: its family ends.
 * The refusal is returned, not thrown: ending a family is a change that must be kept.
 */
export async function useRefreshToken(
  tx: Writer,
  token: string,
  wanted: RequestedContent,
  now: number,
): Promise<{ found: RotatedToken; reason?: undefined } | { found?: undefined; reason: RefreshFailure }> {
  const id = /^muster-refresh-([0-9a-f]{24})\.[\w-]{43}$/.exec(token)?.[1];
  const family = id === undefined ? undefined : await tx.first(select, { id });
  if (id === undefined || family === undefined || family.expires <= now) return { reason: "unknown" };
  if (!(await isAssumable(tx, family.identity_uid, now))) return { reason: "unknown" };
  if (family.token_hash !== hashOf(token)) {
    await tx.run(end, { id });
    return { reason: "usedBefore" };
  }
  const content = downscoped(read(family.identity_uid, family.content), wanted);
  if (content === undefined) return { reason: "wider" };
  const next = newToken(id);
  await tx.run(rotate, { id, token_hash: next.token_hash, content: written(content) });
  return { found: { content, token: next.token, expires: family.expires } };
}

/** Ends what came of all exchanges for an identity: it was deleted, or is assumed otherwise from now on. */
export async function revokeRefreshTokens(tx: Writer, identity: string): Promise<void> {
  await tx.run(endOf, { identity });
}

async function isAssumable(tx: Reader, uid: string, now: number): Promise<boolean> {
  const identity = await tx.first(keysExpireAt, { uid });
  return identity !== undefined && (identity.expires === null || identity.expires > now);
}

/** A refresh may only narrow: `undefined` where more is wanted than the family has. */
function downscoped(
  content: ApiTokenContent,
  { audiences, downscoping }: RequestedContent,
): ApiTokenContent | undefined {
  const { capabilities, groups } = content.downscoping;
  if (audiences?.some((audience) => !content.audiences.includes(audience))) return undefined;
  if (capabilities !== undefined && [...(downscoping.capabilities ?? [])].some((one) => !capabilities.has(one)))
    return undefined;
  if (groups !== undefined && downscoping.groups?.some((group) => !groups.some((held) => isWithin(held, group))))
    return undefined;
  return {
    ...content,
    audiences: audiences ?? content.audiences,
    downscoping: { capabilities: downscoping.capabilities ?? capabilities, groups: downscoping.groups ?? groups },
  };
}

function newToken(id: string): { token: string; token_hash: string } {
  const token = `${prefix}${id}.${randomBytes(32).toString("base64url")}`;
  return { token, token_hash: hashOf(token) };
}

function hashOf(token: string): string {
  return hash("sha256", token, "hex");
}

function written({ audiences, downscoping: { capabilities, groups }, actor }: ApiTokenContent): string {
  return JSON.stringify({ audiences, actor, groups, capabilities: capabilities && [...capabilities] });
}

function read(identityUid: string, text: string): ApiTokenContent {
  const { audiences, actor, groups, capabilities } = JSON.parse(text) as Pick<
    ApiTokenContent,
    "audiences" | "actor"
  > & {
    groups?: readonly string[];
    capabilities?: readonly Capability[];
  };
  return {
    identityUid,
    audiences,
    actor,
    downscoping: { groups, capabilities: capabilities === undefined ? undefined : new Set(capabilities) },
  };
}
