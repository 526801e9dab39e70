import type { AbuseKind } from "../abuse-kind.ts";

/** As expensive as the platform allows: many instructions, all of which match most prefixes. */
const expensive = "(x?){60}(x*x*){10}y";

export const unsignedTokens: AbuseKind = {
  name: "unsigned-tokens",
  what: "tokens that nobody signed, for an identity with an expensive pattern",
  prepare: async (abuser) => {
    const issuer = abuser.issuers.url("good");
    const claimMatch = { issuer, subjectPattern: expensive, claimPatterns: { claim: expensive } };
    const identity = await abuser.create("identities", abuser.tenant.root, { name: "pattern", claimMatch });
    const [subject, claim] = ["x".repeat(1_000), "x".repeat(8_000)];
    const signed = await abuser.issuers.token(issuer, { sub: subject, aud: "127.0.0.1", claim });
    const [head, claims] = signed.split(".");
    const path = abuser.exchangePath(identity);
    // Every second token has a valid signature.
    return (signal) =>
      abuser.flood(signal, 200, (n) => ({ path, token: n % 2 === 0 ? signed : `${head}.${claims}.${"A".repeat(86)}` }));
  },
};

export const patternCreation: AbuseKind = {
  name: "pattern-creation",
  what: "identities with patterns that take long to compile",
  prepare: (abuser) => (signal) => {
    const patterns = [
      "(((a{1,30}){1,30}){1,30})",
      `${"(a|b|c|".repeat(500)}${")".repeat(500)}`,
      `(${"x?".repeat(2_000)})`,
      "[\\p{L}\\p{N}]{1,400}",
      expensive,
    ];
    return abuser.flood(signal, 100, (n) => {
      const subjectPattern = patterns[n % patterns.length] ?? "";
      const claimMatch = { issuer: abuser.issuers.url("good"), subjectPattern };
      const body = { name: `pattern-${n}`, claimMatch };
      return { method: "POST", path: `/iam/v2beta1/identities/${abuser.tenant.root}`, body };
    });
  },
};
