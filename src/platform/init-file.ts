import { create } from "@bufbuild/protobuf";
import { parseDocument } from "yaml";
import * as z from "zod";
import { type BuiltinRole, builtinRole, builtinRoles } from "./authorization/builtin-roles.ts";
import { checkDescription, checkName } from "./contract/check-text.ts";
import { isRoot, isUid, parentOf } from "./contract/uid.ts";
import { ApiError } from "./errors/api-error.ts";
import {
  type Identity_ClaimMatch as ClaimMatch,
  Identity_ClaimMatchSchema as ClaimMatchSchema,
  IdentitySchema,
} from "./gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { checkRelationship } from "./iam/identity-rules.ts";

/** What the first start creates in addition to the admin token: the content of `--init-file`. */
export interface InitFile {
  readonly rootGroup: { readonly uid: string; readonly name: string };
  readonly identities: readonly InitIdentity[];
}

/** An identity in the root group, which is bound there. */
export interface InitIdentity {
  readonly uid: string;
  readonly name: string;
  readonly description: string;
  readonly claimMatch: ClaimMatch;
  readonly role: BuiltinRole;
}

/** The maximum length of the file in characters, and of its list. */
const maximumLength = 256 * 1024;
const maximumIdentities = 100;

const text = z.string({ error: "must be text" });
const schema = z.strictObject({
  rootGroup: z.strictObject({ uid: text, name: text.default("root") }),
  identities: z
    .array(
      z.strictObject({
        uid: text,
        name: text.optional(),
        issuer: text,
        subject: text,
        audience: text.optional(),
        role: text,
        description: text.default(""),
      }),
    )
    .max(maximumIdentities)
    .default([]),
});

/**
 * Reads an init file: one YAML or JSON document. Its size is bounded.
 * @param issuerIn returns the issuer that the text of a field means. Default: the text.
 * @throws Error whose message names the field
 */
export function parseInitFile(content: string, issuerIn = (issuer: string): string => issuer): InitFile {
  if (content.length > maximumLength) throw new Error(`the file must have at most ${maximumLength} characters`);
  // In the failsafe schema every scalar is text: a uid that consists of decimal digits does not become a number.
  const document = parseDocument(content, { schema: "failsafe" });
  const [problem] = document.errors;
  if (problem !== undefined) throw new Error(`the file is not one YAML document: ${problem.message}`);
  const parsed = schema.safeParse(document.toJS(), { reportInput: true });
  if (!parsed.success) throw new Error(shapeProblem(parsed.error));
  const { rootGroup, identities } = parsed.data;
  if (!isUid(rootGroup.uid) || !isRoot(rootGroup.uid) || builtinRole(rootGroup.uid) !== undefined)
    throw new Error("rootGroup.uid: must be 40 lowercase hex digits, such as the output of `openssl rand -hex 20`");
  checkField("rootGroup", () => checkName(rootGroup.name));
  const uids = new Set<string>();
  return {
    rootGroup,
    identities: identities.map(({ uid, name, issuer, subject, audience, role: roleName, description }, index) => {
      const at = `identities[${index}]`;
      if (!isUid(uid) || parentOf(uid) !== rootGroup.uid)
        throw new Error(`${at}.uid: must be rootGroup.uid, a slash and 16 lowercase hex digits`);
      if (uids.has(uid)) throw new Error(`${at}.uid: another identity in the file has it; choose another one`);
      uids.add(uid);
      const role = builtinRoles.find((builtin) => builtin.name === roleName);
      if (role === undefined)
        throw new Error(`${at}.role: must be a built-in role: ${builtinRoles.map((known) => known.name).join(", ")}`);
      const claimMatch = create(ClaimMatchSchema, {
        iss: { case: "issuer", value: readIssuer(issuer, issuerIn, at) },
        sub: { case: "subject", value: subject },
        ...(audience === undefined ? {} : { aud: { case: "audience", value: audience } }),
      });
      const named = { uid, name: name ?? uid.slice(rootGroup.uid.length + 1), description, claimMatch, role };
      checkField(at, () => {
        checkName(named.name);
        checkDescription(description);
        const relationship = { case: "claimMatch", value: claimMatch } as const;
        // Whoever deploys the platform wrote the file, and may trust an issuer with a private address.
        const trusted = [{ issuer: claimMatch.iss.value ?? "", ca: undefined, jwksUrl: undefined }];
        checkRelationship(create(IdentitySchema, { relationship }), 0, trusted);
      });
      return named;
    }),
  };
}

function readIssuer(issuer: string, issuerIn: (issuer: string) => string, at: string): string {
  try {
    return issuerIn(issuer);
  } catch (error) {
    throw new Error(`${at}.issuer: ${(error as Error).message}`, { cause: error });
  }
}

/** The first problem of a document that does not have the schema's shape, with its field. */
function shapeProblem(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "the file is not valid";
  const path = issue.path.reduce<string>(
    (prefix, key) =>
      typeof key === "number" ? `${prefix}[${key}]` : prefix === "" ? String(key) : `${prefix}.${String(key)}`,
    "",
  );
  if (issue.code === "unrecognized_keys") {
    const field = path === "" ? issue.keys[0] : `${path}.${issue.keys[0]}`;
    return `${field}: unknown field; remove it or correct its name`;
  }
  if (path === "") return "the file must be a map with the fields rootGroup and identities";
  const missing = issue.code === "invalid_type" && issue.input === undefined;
  return `${path}: ${missing ? "is required" : issue.message}`;
}

/** Runs a check of the API on a part of the file. Its error names the field as the file does. */
function checkField(at: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ApiError) || error.detail?.kind !== "badRequest") throw error;
    const { field, description } = error.detail;
    throw new Error(`${at}.${field.replace(/^claimMatch\./, "")}: ${description}`, { cause: error });
  }
}
