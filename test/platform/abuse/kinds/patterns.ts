import type { AbuseKind } from "../abuse-kind.ts";

/** As expensive as the platform allows: hundreds of instructions, all of which match most prefixes. */
const expensive = `(x?){60}(x*x*){10}y`;

/** Tokens that nobody signed, for an identity whose pattern takes long to match. */
export const unsignedTokens: AbuseKind = {
  name: "unsigned-tokens",
  what: "tokens that nobody signed, for an identity with an expensive pattern",
  prepare: async (abuser) => {
    const issuer = abuser.issuers.url("good");
    const claimMatch = { issuer, subjectPattern: expensive, claimPatterns: { claim: expensive } };
    const identity = await abuser.create("identities", abuser.tenant.root, { name: "pattern", claimMatch });
    const subject = "x".repeat(1_000);
    const signed = await abuser.issuers.token(issuer, { sub: subject, aud: "127.0.0.1", claim: "x".repeat(8_000) });
    const [head, claims] = signed.split(".");
    return (signal) =>
      abuser.flood(signal, 200, (n) => ({
        path: abuser.exchangePath(identity),
        // Every second token has a valid signature.
        token: n % 2 === 0 ? signed : `${head}.${claims}.${"A".repeat(86)}`,
      }));
  },
};
