import { anyStranger, publicIssuers } from "#src/api/public-issuers.ts";
import { begunPattern, ownedPattern, plainPattern, wholePattern } from "./plain-patterns.ts";

const generated =
  /^(?<start> *# From src\/api\/public-issuers\.ts\n)[^]*?(?<end>^ *# End of src\/api\/public-issuers\.ts\n)/gm;

/** Fills the variables of an admission policy that list the public issuers, between two comments that name the source. */
export function fillPublicIssuers(manifest: string): string {
  return manifest.replace(generated, (_, start: string, end: string) => {
    const indent = " ".repeat(start.search(/\S/));
    const byIssuer = (valuesOf: (issuer: string) => readonly string[]) =>
      Object.keys(publicIssuers).map((issuer) => `${JSON.stringify(issuer)}: ${JSON.stringify(valuesOf(issuer))}`);
    const lines = [
      "- name: anyStranger",
      "  expression: >-",
      ...listed(
        "[",
        anyStranger.map((subject) => JSON.stringify(subject)),
        "]",
      ),
      "- name: publicIssuers",
      "  expression: >-",
      ...listed(
        "{",
        byIssuer((issuer) => publicIssuers[issuer]?.strangers ?? []),
        "}",
      ),
      "- name: ownedPatterns",
      "  expression: >-",
      ...listed(
        "{",
        byIssuer((issuer) => publicIssuers[issuer]?.owned.map(ownedPattern) ?? []),
        "}",
      ),
      "- name: ownedClaims",
      "  expression: >-",
      ...listed(
        "{",
        byIssuer((issuer) => publicIssuers[issuer]?.claims ?? []),
        "}",
      ),
      ...Object.entries({ wholePattern, plainPattern, begunPattern }).flatMap(([name, pattern]) => [
        `- name: ${name}`,
        "  expression: >-",
        `    ${JSON.stringify(pattern)}`,
      ]),
    ];
    return `${start}${lines.map((line) => `${indent}${line}\n`).join("")}${end}`;
  });
}

/** The lines of a CEL literal within a folded block of YAML. */
function listed(open: string, items: readonly string[], close: string): string[] {
  return [`    ${open}`, ...items.map((item) => `    ${item},`), `    ${close}`];
}
