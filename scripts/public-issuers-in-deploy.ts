import { anyStranger, publicIssuers } from "#src/api/public-issuers.ts";

const generated =
  /^(?<start> *# From src\/api\/public-issuers\.ts\n)[^]*?(?<end>^ *# End of src\/api\/public-issuers\.ts\n)/gm;

/** Fills the variables of an admission policy that list the public issuers, between two comments that name the source. */
export function fillPublicIssuers(manifest: string): string {
  return manifest.replace(generated, (_, start: string, end: string) => {
    const indent = " ".repeat(start.search(/\S/));
    const strangers = Object.entries(publicIssuers).map(
      ([issuer, subjects]) => `${JSON.stringify(issuer)}: ${JSON.stringify(subjects)}`,
    );
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
      ...listed("{", strangers, "}"),
    ];
    return `${start}${lines.map((line) => `${indent}${line}\n`).join("")}${end}`;
  });
}

/** The lines of a CEL literal within a folded block of YAML. */
function listed(open: string, items: readonly string[], close: string): string[] {
  return [`    ${open}`, ...items.map((item) => `    ${item},`), `    ${close}`];
}
