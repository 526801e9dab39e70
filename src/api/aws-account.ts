import * as z from "zod";
import { matches, withRules } from "./rule.ts";

/** An account at Amazon Web Services. */
export const awsAccount = withRules(
  z.string().max(32),
  matches(/^[0-9]{12}$/, 'an AWS account must be 12 digits, such as "123456789012"'),
).describe('AWS account: 12 digits in quotes, such as "123456789012".');
