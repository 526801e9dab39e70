import type { AbuseKind } from "../abuse-kind.ts";

export const documents: AbuseKind = {
  name: "documents",
  what: "the OpenAPI document, its page, metrics and discovery documents, 400 at a time",
  prepare: (abuser) => (signal) => {
    const paths = ["/openapi.json", "/docs", "/metrics", "/readyz", "/.well-known/openid-configuration", "/unknown"];
    return abuser.flood(signal, 400, (n) => ({ path: paths[n % paths.length] ?? "", token: undefined }));
  },
};
