import { createHash } from "node:crypto";
import { readTextSync } from "#src/files/read-text.ts";
import type { JsonObject } from "#src/json/json-object.ts";
import { parseJsonObject } from "#src/json/parse-json.ts";

/** Where the subject token is from: the token that Kubernetes or a CI system issued to the workload. */
export interface SubjectToken {
  readonly text: string;
  /** Differs if anything but times and the token's own id differs. Not secret. */
  readonly fingerprint: string;
  /** What the platform compares with the identity, for messages. Undefined if the token is not a JWT. */
  readonly claims: { readonly issuer: string; readonly subject: string; readonly audience: string } | undefined;
}

const maxTokenLength = 65_536;

/** The path that means standard input. */
const standardInput = "-";

/**
 * Reads a subject token from a file, or from standard input if the path is `-`. It is synchronous, because the file is small
 * and the kubelet keeps it in memory.
 * @throws {Error} that names the file and never contains its content
 */
export function readSubjectToken(path: string): SubjectToken {
  let text: string;
  try {
    text = readTextSync(path === standardInput ? 0 : path).trim();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === "ENOENT"
        ? `${path} does not exist; name it with --subject-token-file (MUSTER_SUBJECT_TOKEN_FILE)`
        : message;
    throw new Error(`the file with the workload's own token cannot be read: ${reason}`, {
      cause: error,
    });
  }
  return parseSubjectToken(text, path === standardInput ? "standard input" : `the file ${path}`);
}

/**
 * @param source where the text is from, for the message
 * @throws {Error} that never contains the text
 */
export function parseSubjectToken(text: string, source: string): SubjectToken {
  // Anything else cannot be sent in a header.
  if (text.length > maxTokenLength || !/^[\x21-\x7e]+$/.test(text))
    throw new Error(`${source} does not contain a token`);
  const parts = text.split(".").slice(0, 2).map(jsonOf);
  const [header, claims] = parts;
  if (header === undefined || claims === undefined) return { text, fingerprint: hash(text), claims: undefined };
  return {
    text,
    fingerprint: hash(JSON.stringify([withoutTimes(header), withoutTimes(claims)])),
    claims: { issuer: quote(claims["iss"]), subject: quote(claims["sub"]), audience: quote(claims["aud"]) },
  };
}

function jsonOf(part: string): JsonObject | undefined {
  return parseJsonObject(Buffer.from(part, "base64url").toString("utf8"));
}

/** The claims that differ in each token that an issuer issues to the same workload. */
const timeClaims = new Set(["exp", "iat", "nbf", "jti", "warnafter"]);

/** Without the time claims at the top and in `kubernetes.io`, where Kubernetes has one more. */
function withoutTimes(claims: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(claims)
      .filter(([name]) => !timeClaims.has(name))
      .map(([name, value]) => [name, name === "kubernetes.io" ? withoutTimes((value ?? {}) as JsonObject) : value]),
  );
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

const maxQuoted = 300;

function quote(claim: unknown): string {
  return (JSON.stringify(claim) ?? "none").slice(0, maxQuoted);
}
