/** What a limit counts. Bytes are those of UTF-8, characters are UTF-16 code units, as in JSON Schema. */
type Unit = "bytes" | "characters" | "items" | "instructions" | "steps";

/** One limit of the platform. */
export interface Limit {
  /** What is limited, as the first words of a row of the documentation. */
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  /** The setting of `muster platform` that replaces the value; undefined for a limit that cannot be changed. */
  readonly setting?: string;
}

/**
 * The limits of the platform, in one table: the checks, the settings' defaults and the documentation read it, so that they
 * cannot differ. The order is that of the documentation.
 */
export const limits = {
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
    what: "Issuers that are asked for their keys at a time; an eighth of it for the identities below one root group",
    value: 64,
    unit: "items",
    setting: "--maximum-issuer-requests",
  },
  refreshTokens: {
    what: "Valid refresh tokens of an identity; the oldest ones end when there are about 64 more",
    value: 1_000,
    unit: "items",
    setting: "--maximum-refresh-tokens",
  },
} as const satisfies Readonly<Record<string, Limit>>;
