import { create } from "@bufbuild/protobuf";
import { type Identity_Person, Identity_PersonSchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import type { Person } from "./login-request.ts";

/** The characters of a name that are kept: a row of a table has room for them, and the cookie of a login. */
const kept = /^.{1,100}/u;

/** White space, among which are line breaks, and control characters: what separates words. */
const separators = /[\s\p{Cc}]+/gu;
/** What has no glyph: it could change the direction of text, hide, or make two names look the same. */
const invisible = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu;
/** With these, also in their wide forms, a name could look like an e-mail address that the provider has verified. */
const ofAddresses = /[@<>]/;
/** An e-mail address without quotes, comments and white space. */
const address = /^[^\s@<>()[\]",:;\\]+@[^\s@<>()[\]",:;\\]+$/u;

/**
 * The name of a person, as plain text of one line.
 * @param claim the claim `name` of an ID token, which may be anything
 * @returns undefined if it is not a name
 */
export function plainName(claim: unknown): string | undefined {
  if (typeof claim !== "string" || ofAddresses.test(claim.normalize("NFKC"))) return undefined;
  const line = claim.normalize("NFC").replaceAll(separators, " ").replaceAll(invisible, "").trim();
  return kept.exec(line)?.[0].trimEnd();
}

/** What the provider vouched for: the name, and the e-mail address if it has verified that. Undefined without either. */
export function vouchedPerson({ name = "", email = "", emailVerified }: Person): Identity_Person | undefined {
  const isVouched = emailVerified && address.test(email) && email.search(invisible) < 0;
  const vouched = { name, email: isVouched ? email : "" };
  return vouched.name === "" && vouched.email === "" ? undefined : create(Identity_PersonSchema, vouched);
}
