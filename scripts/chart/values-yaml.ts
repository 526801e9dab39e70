import { stringify } from "yaml";
import type { JsonSchema } from "./json-schema.ts";

const width = 100;

/** `values.yaml`: each value with its default, below its description. */
export function valuesYaml(schema: JsonSchema): string {
  return `# Generated from scripts/chart/values.ts by \`npm run generate\`. Do not edit; give Helm values of your own.\n${mapping(schema, "")}`;
}

function mapping({ properties = {} }: JsonSchema, indent: string): string {
  return Object.entries(properties)
    .filter(([name]) => name !== "global")
    .map(([name, value]) => {
      const comment = wrapped(value.description ?? "")
        .map((line) => `${indent}# ${line}\n`)
        .join("");
      if (value.properties !== undefined && value.default === undefined)
        return `${comment}${indent}${name}:\n${mapping(value, `${indent}  `)}`;
      const text = stringify({ [name]: value.default }, { lineWidth: 0 }).trimEnd();
      return `${comment}${text.replace(/^/gm, indent)}\n`;
    })
    .join("");
}

function wrapped(text: string): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && line.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}
