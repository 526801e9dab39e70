import { hours, minutes, seconds } from "#src/time/durations.ts";
import type { RevalidationTimes } from "./revalidated-cache.ts";

/** How long what an issuer publishes is used, and when it is fetched again. */
export const issuerTimes: RevalidationTimes = {
  refresh: minutes(5),
  // A key that an issuer has withdrawn is not used for longer, unless the issuer is unavailable.
  fresh: minutes(10),
  maximum: hours(1),
  wait: seconds(1),
  failure: seconds(5),
  unavailable: seconds(30),
};
