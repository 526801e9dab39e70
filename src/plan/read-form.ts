type Fields = Readonly<Record<string, unknown>>;

/** What the platform knows when it returns what was written. */
export interface ReadFormOptions {
  /** The name of a resource; empty if it is not known. */
  readonly nameOf: (uid: string) => string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The field as which the platform returns one that is written: `identity` for `identityUid`, `expirationTime` for `ttl`. */
export function returnedField(field: string): string {
  return field === "ttl" ? "expirationTime" : field.replace(/Uid$/, "");
}

/** What the platform returns of a body: a reference has a uid and a name, and a lifetime has become the time at which it ends. */
export function readForm(body: Fields, { nameOf, now }: ReadFormOptions): Fields {
  return Object.fromEntries(
    Object.entries(body).map(([field, value]) => {
      if (typeof value !== "string") return [field, value];
      if (field === "ttl") return [returnedField(field), new Date(now + Number.parseFloat(value) * 1000).toISOString()];
      return field.endsWith("Uid") ? [returnedField(field), { uid: value, name: nameOf(value) }] : [field, value];
    }),
  );
}
