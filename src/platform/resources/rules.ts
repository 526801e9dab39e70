import { descriptionRule, fits, issuerRule, nameRule, presentRule } from "../contract/text-rule.ts";
import { invalidArgument } from "../errors/api-error.ts";

/** @throws ApiError (3); the texts are the contract's */
export function checkName(value: string): void {
  if (!fits(nameRule, value)) throw invalidArgument("name", `name must match "${nameRule.pattern.source}"`);
}

/** @throws ApiError (3) */
export function checkDescription(value: string): void {
  if (!fits(descriptionRule, value))
    throw invalidArgument("description", `description must match "${descriptionRule.pattern.source}"`);
}

/** @throws ApiError (3) */
export function checkPresent(field: string, value: string): void {
  if (value === "") throw invalidArgument(field, "must not be empty");
  if (!fits(presentRule, value)) throw invalidArgument(field, "must not contain NUL");
}

/** @throws ApiError (3) */
export function checkIssuer(field: string, value: string): void {
  const url = fits(issuerRule, value) ? URL.parse(value) : null;
  if (url === null || url.username !== "" || url.password !== "") throw invalidArgument(field, "must be an https URL");
}
