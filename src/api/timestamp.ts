import * as z from "zod";
import { matches, withRules } from "./rule.ts";

/** A time of the wall clock, in milliseconds since the epoch, as Kubernetes writes it: RFC 3339 with whole seconds. */
export function timestamp(wallClock: number): string {
  return `${new Date(wallClock).toISOString().slice(0, -".000Z".length)}Z`;
}

const days = [
  "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])",
  "(0[469]|11)-(0[1-9]|[12][0-9]|30)",
  "02-(0[1-9]|1[0-9]|2[0-8])",
].join("|");
const leapYears = "[0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00";
const date = `([0-9]{4}-(${days})|(${leapYears})-02-29)`;
const [hour, minute, second] = ["([01][0-9]|2[0-3])", "[0-5][0-9]", "[0-5][0-9]([.][0-9]{1,9})?"];
const rfc3339 = new RegExp(`^${date}[Tt]${hour}:${minute}:${second}([Zz]|[+-]${hour}:${minute})$`);

/**
 * A time that a person writes. The rule accepts nothing that `Date.parse` rejects: a grant would never end. The format `date-time`
 * of the API server is less strict (an offset of +24:00, a comma in the seconds, text after the time), and the API server does
 * not let a rule read the text of a field that has it.
 */
export const time = withRules(
  z.string().max(40),
  matches(rfc3339, "must be a time in the format of RFC 3339, such as 2027-01-31T00:00:00Z"),
);

/** The time that `value` says, in milliseconds since the epoch; undefined if it is not a time that a person may write. */
export function readTime(value: unknown): number | undefined {
  const { success, data } = time.safeParse(value);
  return success ? Date.parse(data) : undefined;
}
