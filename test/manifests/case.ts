/** A manifest as a user might write it. */
interface Case {
  readonly what: string;
  readonly spec?: unknown;
  /** If set, the object is created with this spec, and `spec` is an update of it. */
  readonly before?: object;
}

export interface ValidCase extends Case {
  readonly spec: object;
}

export interface InvalidCase extends Case {
  /** Every cause in the API server's response, word for word. */
  readonly errors: string | readonly string[];
  /** Set if the schema in TypeScript accepts it: it does not check updates, unknown fields or the RE2 syntax. */
  readonly rejectedBy?: "API server";
}

/** What the API server's format `date-time` accepts, and is not a time nevertheless, or not one that can be parsed. */
export const unreadableTimes = [
  "2026-11-23T19:00:00+24:00",
  "2026-11-23T19:00:00+01:60",
  "2026-11-23T19:00:00,5Z",
  "2026-11-23T19:00:00ZT",
  "2026-11-23T19:00:00.1234567890Z",
] as const;

/** What that format refuses, too. */
export const refusedTimes = [
  "2027-01-31",
  "2027-01-31T00:00:00",
  "2027-01-31T24:00:00Z",
  "2027-01-31T23:59:60Z",
  "2027-02-30T00:00:00Z",
  "2027-02-29T00:00:00Z",
] as const;

export const notATime = "must be a time in the format of RFC 3339, such as 2027-01-31T00:00:00Z";

export const root = "0123456789abcdef0123456789abcdef01234567";
export const otherRoot = "ffffffffffffffffffffffffffffffffffffffff";
export const team = `${root}/1111111111111111`;
export const inTeam = `${team}/2222222222222222`;
