import { randomBytes } from "node:crypto";
import { type Reader, statement, type Writer } from "../store/database.ts";

/**
 * What ends API tokens of an identity before their time: a random value that its tokens contain, and that is replaced when all
 * of them are ended. Times would not do: `iat` has seconds, and the clocks of replicas differ. A number would not do either:
 * after a backup is restored, it would be given out twice.
 */
export interface SecurityStamp {
  readonly value: string;
  /** The fingerprints of the static keys that were removed since the value was replaced: what they vouched for has ended. */
  readonly removedKeys: readonly string[];
  /** The logins that were ended before their time, as long as they may have API tokens. */
  readonly endedLogins: readonly EndedLogin[];
}

interface EndedLogin {
  /** The id of the login, which its tokens contain. */
  readonly id: string;
  /** When its API tokens expire (ms). */
  readonly expires: number;
}

/** The part of a token that decides whether it was ended. */
export interface TokenStamp {
  /** The value of the identity's stamp when the token was issued. */
  readonly value: string;
  /** The fingerprint of the static key that vouched for it; undefined for an identity without static keys. */
  readonly key: string | undefined;
  /** The id of the login that it came from; undefined if it came from an exchange. */
  readonly login?: string | undefined;
}

/** The stamp of an identity whose tokens were never ended. Its tokens contain no value. */
export const initialStamp: SecurityStamp = { value: "", removedKeys: [], endedLogins: [] };

/** More removals end all tokens of the identity, so that what is stored has a bound. */
const maximumRemovedKeys = 16;
/** More logins that are ended within the lifetime of a token end all tokens of the identity. */
const maximumEndedLogins = 16;

/**
 * The text of a stamp: the value, then the removed keys and the ended logins, each after a space, which none contains. Only a
 * login has colons: `login:ID:EXPIRES`.
 */
const textOf = ({ value, removedKeys, endedLogins }: SecurityStamp): string =>
  [value, ...removedKeys, ...endedLogins.map(({ id, expires }) => `login:${id}:${expires}`)].join(" ");

/** @param text as it is stored; null if the tokens of the identity were never ended */
export function parseStamp(text: string | null | undefined): SecurityStamp {
  if (text === null || text === undefined) return initialStamp;
  const [value = "", ...ended] = text.split(" ");
  const endedLogins = ended
    .filter((one) => one.startsWith("login:"))
    .map((one) => one.split(":"))
    .map(([, id = "", expires]) => ({ id, expires: Number(expires) }));
  return { value, removedKeys: ended.filter((one) => !one.startsWith("login:")), endedLogins };
}

/**
 * Whether a token with this part was not ended. A token that was issued before tokens named their key does not say which one
 * vouched for it, so every removal ends it.
 */
export function isCurrent({ value, removedKeys, endedLogins }: SecurityStamp, token: TokenStamp): boolean {
  if (token.value !== value || endedLogins.some(({ id }) => id === token.login)) return false;
  return removedKeys.length === 0 || (token.key !== undefined && !removedKeys.includes(token.key));
}

const select = statement((db, p: { identity: string }) =>
  db.selectFrom("security_stamps").select("stamp").where("identity_uid", "=", p.identity),
);
const upsert = statement((db, p: { identity: string; stamp: string }) =>
  db
    .insertInto("security_stamps")
    .values({ identity_uid: p.identity, stamp: p.stamp })
    .onConflict((conflict) => conflict.column("identity_uid").doUpdateSet({ stamp: p.stamp })),
);
const remove = statement((db, p: { identity: string }) =>
  db.deleteFrom("security_stamps").where("identity_uid", "=", p.identity),
);

export async function securityStampOf(reader: Reader, identity: string): Promise<SecurityStamp> {
  return parseStamp((await reader.first(select, { identity }))?.stamp);
}

/** Ends the API tokens that were issued to the identity until now, on every replica. */
export async function replaceSecurityStamp(tx: Writer, identity: string): Promise<void> {
  await tx.run(upsert, { identity, stamp: randomBytes(9).toString("base64url") });
}

/**
 * Ends the API tokens for which removed static keys vouched, on every replica.
 * @param keys the fingerprints of keys that are added and removed
 * @returns false, without effect, if all tokens of the identity must be ended instead: a key that was removed earlier is added
 *   again, and the tokens for which it vouched before must not become valid; or too many keys were removed
 */
export async function recordKeyChange(
  tx: Writer,
  identity: string,
  { added, removed }: { readonly added: readonly string[]; readonly removed: readonly string[] },
): Promise<boolean> {
  const { value, removedKeys, endedLogins } = await securityStampOf(tx, identity);
  const all = [...removedKeys, ...removed];
  if (all.length > maximumRemovedKeys || added.some((key) => removedKeys.includes(key))) return false;
  if (removed.length > 0) await tx.run(upsert, { identity, stamp: textOf({ value, removedKeys: all, endedLogins }) });
  return true;
}

/**
 * Ends the API tokens of a login, on every replica.
 * @param login its id, and when its API tokens expire
 * @returns false, without effect, if all tokens of the identity must be ended instead: too many logins were ended lately
 */
export async function recordEndedLogin(tx: Writer, identity: string, login: EndedLogin, now: number): Promise<boolean> {
  const stamp = await securityStampOf(tx, identity);
  const endedLogins = [...stamp.endedLogins.filter(({ id, expires }) => id !== login.id && expires > now), login];
  if (endedLogins.length > maximumEndedLogins) return false;
  await tx.run(upsert, { identity, stamp: textOf({ ...stamp, endedLogins }) });
  return true;
}

/** Deletes the stamp of an identity that is deleted. */
export async function deleteSecurityStamp(tx: Writer, identity: string): Promise<void> {
  await tx.run(remove, { identity });
}
