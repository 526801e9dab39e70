/** Fields of an external resource, by their names in the platform's API. */
export type Fields = Readonly<Record<string, unknown>>;
