import type { Limit } from "./limit.ts";

/** What a token, and the patterns that it is matched with, may cost. The order is that of the documentation. */
export const tokenLimits = {
  patterns: { what: "Patterns of an identity", value: 32, unit: "items" },
  patternText: { what: "The patterns of an identity, together", value: 4_096, unit: "characters" },
  patternProgram: {
    what: "The patterns of an identity, compiled: each character, class and operator, times its repetitions",
    value: 1_000,
    unit: "instructions",
  },
  issuerPatternProgram: { what: "An `issuerPattern`, compiled", value: 200, unit: "instructions" },
  patternIssuer: { what: "An issuer that an `issuerPattern` matches", value: 255, unit: "characters" },
  patternSteps: {
    what: "Matching a token: the instructions of each pattern times the characters of its claim",
    value: 250_000,
    unit: "steps",
  },
  tokenIssuer: { what: "The issuer of a token that is exchanged", value: 1_024, unit: "characters" },
  tokenSubject: { what: "The subject of a token that is exchanged", value: 1_024, unit: "characters" },
  tokenAudiences: { what: "Audiences of a token that is exchanged", value: 32, unit: "items" },
  tokenAudienceText: {
    what: "The audiences of a token that is exchanged, together",
    value: 4_096,
    unit: "characters",
  },
  triedKeys: { what: "Keys that a token without key id is verified with", value: 16, unit: "items" },
  issuerRequests: {
    what: "Issuers that are asked for their keys at a time, which root groups share",
    value: 64,
    unit: "items",
    setting: "--maximum-issuer-requests",
  },
  nameLookups: {
    what: "Host names that name servers are asked for at a time, which root groups share; each for at most 3 s",
    value: 256,
    unit: "items",
  },
  refreshTokens: {
    what: "Valid refresh tokens of an identity; the oldest ones end when there are about 64 more",
    value: 1_000,
    unit: "items",
    setting: "--maximum-refresh-tokens",
  },
  usedTokens: {
    what: "Requests to AWS, consents and invites that a root group uses in a day (UTC): each is remembered for at most a day, because it is accepted once",
    value: 500_000,
    unit: "items",
  },
} as const satisfies Readonly<Record<string, Limit>>;
