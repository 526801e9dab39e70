import { existsSync } from "node:fs";
import { type Database, statement } from "../store/database.ts";
import { type MasterKey, readOrCreateKeyFile } from "./master-key.ts";

/** The first start seals a signing key before anything else, and there is one from then on. */
const anySealed = statement((db) => db.selectFrom("signing_keys").select("kid").limit(1));

/**
 * Reads the key file of a platform, or creates it (mode 0600) for data in which nothing is sealed yet. A missing key file
 * beside other data is never replaced: a new key opens nothing.
 * @throws Error if the file is missing beside such data, is not a key file or cannot be read
 */
export async function openKeyFile(path: string, database: Database): Promise<MasterKey> {
  if (!existsSync(path) && (await database.read((reader) => reader.first(anySealed, {}))) !== undefined)
    throw new Error(
      `the key file ${path} does not exist, and the data is encrypted with it: restore the file from its backup, or name it with --key-file. A new key could read neither the signing keys nor the client secrets of identity providers`,
    );
  return readOrCreateKeyFile(path);
}

/** Reads a key file that must exist. @throws Error if it is missing, is not a key file or cannot be read */
export function readKeyFile(path: string): MasterKey {
  if (!existsSync(path)) throw new Error(`the key file ${path} does not exist`);
  return readOrCreateKeyFile(path);
}
