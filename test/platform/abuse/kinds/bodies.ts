import type { AbuseKind } from "../abuse-kind.ts";

/** Slightly less than the largest body. */
const bodyBytes = 1_000_000;

function bodies(name: string, what: string, bodyOf: () => string): AbuseKind {
  return {
    name,
    what,
    prepare: (abuser) => {
      const body = bodyOf();
      const paths = ["identities", "groups", "roleBindings"];
      return (signal) =>
        abuser.flood(signal, 60, (n) => ({
          method: "POST",
          path: `/iam/v2beta1/${paths[n % paths.length] ?? ""}/${abuser.tenant.root}`,
          body,
        }));
    },
  };
}

export const jsonDepth: AbuseKind = bodies("json-depth", "JSON with 200,000 levels", () => {
  const levels = bodyBytes / 5;
  return `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`.slice(0, bodyBytes);
});

export const jsonArrays: AbuseKind = bodies("json-arrays", "JSON with 500,000 nested arrays", () => {
  return `{"name":${"[".repeat(bodyBytes / 2 - 10)}${"]".repeat(bodyBytes / 2 - 10)}}`;
});

export const jsonFields: AbuseKind = bodies("json-fields", "JSON with 100,000 small fields", () => {
  const fields = Array.from({ length: 75_000 }, (_, n) => `"f${n}":{}`);
  return `{${fields.join(",")}}`.slice(0, bodyBytes);
});

export const jsonClaims: AbuseKind = bodies("json-claims", "identities with 100,000 claims", () => {
  const claims = Array.from({ length: 70_000 }, (_, n) => `"c${n}":"v"`);
  return `{"name":"claims","claimMatch":{"claims":{${claims.join(",")}}}}`.slice(0, bodyBytes);
});

export const jsonDuplicates: AbuseKind = bodies("json-duplicates", "JSON with one key 100,000 times", () => {
  return `{${'"name":"x",'.repeat(90_000)}"name":"x"}`;
});
