import type { AbuseKind } from "../abuse-kind.ts";

/** Full pages, as many at a time as the platform admits. */
export const pages: AbuseKind = {
  name: "pages",
  what: "pages of 200 repos, 600 at a time",
  prepare: (abuser) => (signal) =>
    abuser.flood(signal, 600, () => ({ path: "/registry/v2beta1/repos?page_size=200&order_by=name" })),
};
