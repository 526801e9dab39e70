import type { AbuseKind } from "../abuse-kind.ts";
import type { Abuser } from "../abuser/abuser.ts";
import { silentDomain } from "../names.ts";

/** Creates an identity for each issuer. @returns the calls that exchange a token of the issuer for it */
async function exchangesWith(abuser: Abuser, issuers: readonly string[]) {
  const calls: { path: string; token: string }[] = [];
  for (const [n, issuer] of issuers.entries()) {
    const claimMatch = { issuer, subject: "abuser", audience: "127.0.0.1" };
    const identity = await abuser.create("identities", abuser.tenant.root, { name: `issuer-${n}`, claimMatch });
    const token = await abuser.issuers.token(issuer, { sub: "abuser", aud: "127.0.0.1" });
    calls.push({ path: abuser.exchangePath(identity), token });
  }
  return calls;
}

export const hangingIssuer: AbuseKind = {
  name: "hanging-issuer",
  what: "exchanges with an issuer that never responds, 400 at a time",
  prepare: async (abuser) => {
    const [call] = await exchangesWith(abuser, [abuser.issuers.url("hang")]);
    return (signal) => abuser.flood(signal, 400, () => call as NonNullable<typeof call>);
  },
};

export const strangeIssuers: AbuseKind = {
  name: "strange-issuers",
  what: "exchanges with issuers that respond slowly, or without end",
  prepare: async (abuser) => {
    const calls = await exchangesWith(abuser, [abuser.issuers.url("trickle"), abuser.issuers.url("huge")]);
    return (signal) => abuser.flood(signal, 200, (n) => calls[n % calls.length] as NonNullable<(typeof calls)[number]>);
  },
};

export const paddedIssuers: AbuseKind = {
  name: "padded-issuers",
  what: "48 issuers with key sets of 250 KB",
  prepare: async (abuser) => {
    const calls = await exchangesWith(abuser, abuser.issuers.padded);
    return (signal) => abuser.flood(signal, 200, (n) => calls[n % calls.length] as NonNullable<(typeof calls)[number]>);
  },
};

export const silentNameServers: AbuseKind = {
  name: "silent-name-servers",
  what: "200 issuers whose name server never responds, 100 exchanges at a time",
  prepare: async (abuser) => {
    const issuers = Array.from({ length: 200 }, (_, n) => `https://issuer-${n}.${silentDomain}`);
    const calls = await exchangesWith(abuser, issuers);
    return (signal) => abuser.flood(signal, 100, (n) => calls[n % calls.length] as NonNullable<(typeof calls)[number]>);
  },
};
