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
