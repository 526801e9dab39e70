/** A manifest that a person might write, and what the API server makes of it. Rows with `before` are changes of it. */
export interface Row {
  readonly what: string;
  readonly spec?: unknown;
  readonly before?: object;
}

export interface RightRow extends Row {
  readonly spec: object;
}

export interface WrongRow extends Row {
  /** Every cause in the API server's answer, word for word. */
  readonly refused: string | readonly string[];
  /** Not seen by the schema in TypeScript, which judges one object: changes, unknown fields, RE2's syntax. */
  readonly seenBy?: "API server";
}

export const root = "0123456789abcdef0123456789abcdef01234567";
export const otherRoot = "ffffffffffffffffffffffffffffffffffffffff";
export const team = `${root}/1111111111111111`;
export const inTeam = `${team}/2222222222222222`;
