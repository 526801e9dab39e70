import { type ApiError, invalidArgument } from "../errors/api-error.ts";
import { portLimits } from "./port-limits.ts";

/** The response to a request whose body `readBody` did not accept. */
export function bodyTooLarge(): ApiError {
  return invalidArgument("body", `must not be larger than ${portLimits.bodyBytes / (1024 * 1024)} MiB`);
}
