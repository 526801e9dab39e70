import { invalidArgument } from "../errors/api-error.ts";
import {
  awsAccountRule,
  descriptionRule,
  fits,
  issuerRule,
  nameRule,
  presentRule,
  type TextRule,
} from "./text-rule.ts";

/** @throws ApiError (3) with the message that the contract specifies */
export function checkName(value: string): void {
  checkLength("name", value, nameRule);
  if (!fits(nameRule, value)) throw invalidArgument("name", `name must match "${nameRule.pattern.source}"`);
}

/** @throws ApiError (3) */
export function checkDescription(value: string): void {
  if (!fits(descriptionRule, value))
    throw invalidArgument("description", `description must match "${descriptionRule.pattern.source}"`);
}

/** @throws ApiError (3) */
export function checkPresent(field: string, value: string, rule: TextRule = presentRule): void {
  if (value === "") throw invalidArgument(field, "must not be empty");
  if (value.includes("\0")) throw invalidArgument(field, "must not contain NUL");
  checkLength(field, value, rule);
  if (!fits(rule, value)) throw invalidArgument(field, `must match "${rule.pattern.source}"`);
}

function checkLength(field: string, value: string, { maxLength }: TextRule): void {
  if (maxLength !== undefined && value.length > maxLength)
    throw invalidArgument(field, `must have at most ${maxLength} characters`);
}

/** @throws ApiError (3) */
export function checkIssuer(field: string, value: string): void {
  checkLength(field, value, issuerRule);
  const url = fits(issuerRule, value) ? URL.parse(value) : null;
  if (url === null || url.username !== "" || url.password !== "")
    throw invalidArgument(field, "must be an https URL without credentials");
}

/** @throws ApiError (3) */
export function checkAwsAccount(field: string, value: string): void {
  if (!fits(awsAccountRule, value)) throw invalidArgument(field, "must be 12 digits");
}
