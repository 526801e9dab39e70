import { visibleText } from "./visible-text.ts";

/** A person as a platform knows them, for every output. */
export interface ShownPerson {
  /** Absent if the identity provider did not give it. */
  readonly name?: string;
  /** The e-mail address; absent if the identity provider has not verified it. */
  readonly email?: string;
}

/** A person as a platform returns it; undefined if it knows neither name nor address. */
export function shownPerson({
  name,
  email,
}: {
  readonly name?: unknown;
  readonly email?: unknown;
}): ShownPerson | undefined {
  const named = typeof name === "string" && name !== "";
  const addressed = typeof email === "string" && email !== "";
  return named || addressed ? { ...(named ? { name } : {}), ...(addressed ? { email } : {}) } : undefined;
}

/** Such as `Kate Miller <kate@corp.test>`, on one line. */
export function personText({ name, email }: ShownPerson): string {
  if (name === undefined) return visibleText(email ?? "");
  return visibleText(email === undefined ? name : `${name} <${email}>`);
}

/**
 * The person before what identifies the identity: `Kate Miller <kate@corp.test> (acme/login-d534)`. Providers let people choose
 * names, so that the name alone never stands for an identity.
 */
export function withPerson(person: ShownPerson | undefined, identity: string): string {
  return person === undefined ? identity : `${personText(person)} (${identity})`;
}
