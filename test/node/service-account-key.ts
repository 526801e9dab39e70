import { generateKeyPair } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** The path of the key that signs tokens of service accounts, from the start of a cluster on. */
export const firstServiceAccountKey = (folder: string): string => join(folder, "service-account.key");

/** Creates a key that signs tokens of service accounts. The API server takes the public part from it. @returns its path */
export async function createServiceAccountKey(path: string): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  await writeFile(path, privateKey, { mode: 0o600 });
  return path;
}
