import { invalidArgument } from "../errors/api-error.ts";

const name = /^[a-z0-9 ._-]+$/;
const description = /^[\S ]{0,512}$/u;

/** @throws ApiError (3); the texts are the contract's */
export function checkName(value: string): void {
  if (!name.test(value)) throw invalidArgument("name", 'name must match "^[a-z0-9 ._-]{1,}$"');
}

/** @throws ApiError (3) */
export function checkDescription(value: string): void {
  if (!description.test(value)) throw invalidArgument("description", 'description must match "^[\\S ]{0,512}$"');
}

/** @throws ApiError (3) */
export function checkPresent(field: string, value: string): void {
  if (value === "") throw invalidArgument(field, "must not be empty");
  // PostgreSQL's text has no place for it.
  if (value.includes("\0")) throw invalidArgument(field, "must not contain NUL");
}

/** Only what can be fetched over https can ever vouch for a token. @throws ApiError (3) */
export function checkIssuer(field: string, value: string): void {
  const url = URL.parse(value);
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "")
    throw invalidArgument(field, "must be an https URL");
}
