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

export const root = "0123456789abcdef0123456789abcdef01234567";
export const otherRoot = "ffffffffffffffffffffffffffffffffffffffff";
export const team = `${root}/1111111111111111`;
export const inTeam = `${team}/2222222222222222`;
