import { inject } from "vitest";

/**
 * Creates a database for the backend of the test run. @returns its URL, or undefined for SQLite, which needs only a file
 * @throws {Error} if PostgreSQL is required and missing
 */
export async function newDatabase(): Promise<string | undefined> {
  if (inject("backend") !== "postgres") return undefined;
  const response = await fetch(inject("databases"), { method: "POST" });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
