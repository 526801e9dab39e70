/** How a response is broken on demand: not sent at all, or cut in half. */
export type ResponseFault = "reset" | "truncate";
