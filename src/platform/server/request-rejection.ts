import { type ApiError, invalidArgument, resourceExhausted } from "../errors/api-error.ts";

/** Why the port rejects a request before any handler sees it. "overloaded": too many others are open. */
export type RequestRejection = "malformed" | "host" | "authorization" | "headersTooLarge" | "timeout" | "overloaded";

/** The error that each rejection is reported as. */
export const rejectionErrors: Readonly<Record<RequestRejection, ApiError>> = {
  malformed: invalidArgument("request", "must be valid HTTP"),
  host: invalidArgument("Host", "must occur once, as a host with an optional port"),
  authorization: invalidArgument("Authorization", "must occur once"),
  headersTooLarge: invalidArgument("headers", "must not be larger than 32 KiB"),
  timeout: invalidArgument("request", "request timed out"),
  overloaded: resourceExhausted("too many open requests; retry later", 1),
};
