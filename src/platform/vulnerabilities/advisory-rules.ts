import { invalidArgument } from "../errors/api-error.ts";
import type { Advisory } from "../gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";

/** The maximum length of indexed fields, because index entries are limited. */
const maximumText = 512;

const texts = [
  "advisoryId",
  "legacyAdvisoryId",
  "artifactName",
  "artifactType",
  "artifactArchitecture",
  "componentName",
  "componentType",
  "componentLocation",
] as const;

/** @throws ApiError (3) that names the field */
export function checkAdvisory(advisory: Advisory): void {
  if (advisory.advisoryId === "") throw invalidArgument("advisoryId", "is required");
  if (advisory.uid !== "") throw invalidArgument("uid", "is set by the platform");
  for (const name of texts) checkText(name, advisory[name] ?? "");
  for (const [index, alias] of advisory.aliases.entries()) {
    if (alias === "") throw invalidArgument(`aliases[${index}]`, "must not be empty");
    checkText(`aliases[${index}]`, alias);
  }
  for (const [index, { type, score }] of advisory.severities.entries()) {
    if (type === 0) throw invalidArgument(`severities[${index}].type`, "is required");
    if (score === "") throw invalidArgument(`severities[${index}].score`, "is required");
  }
  for (const [index, { type, uid }] of advisory.events.entries()) {
    if (type.case === undefined)
      throw invalidArgument(`events[${index}]`, "a type is required, such as detection or fixed");
    if (type.case === "fixed" && type.value.fixedVersion === "")
      throw invalidArgument(`events[${index}].fixed.fixedVersion`, "is required");
    if (uid !== "") throw invalidArgument(`events[${index}].uid`, "is set by the platform");
  }
}

function checkText(field: string, value: string): void {
  if (value.length > maximumText) throw invalidArgument(field, `must have at most ${maximumText} characters`);
  if (value.includes("\0")) throw invalidArgument(field, "must not contain NUL");
}
