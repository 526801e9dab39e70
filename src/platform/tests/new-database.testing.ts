import { inject } from "vitest";

/**
 * Creates a database for the backend of the test run. @returns its URL, or undefined for SQLite, which needs only a file
 * @throws {Error} if PostgreSQL is required and missing
 */
export async function newDatabase(): Promise<string | undefined> {
  return inject("backend") === "postgres" ? newPostgresDatabase() : undefined;
}

/**
 * Creates a database with the platform's schema and no rows on the server that all files of a test run share.
 * @returns its URL
 * @throws {Error} if PostgreSQL is missing
 */
export async function newPostgresDatabase(): Promise<string> {
  const response = await fetch(inject("databases"), { method: "POST" });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
