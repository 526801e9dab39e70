import { inject } from "vitest";

/**
 * The address of a new database of the backend that this run of the tests is for; undefined: a file will do.
 * @throws Error where there is no PostgreSQL
 */
export async function newDatabase(): Promise<string | undefined> {
  if (inject("backend") !== "postgres") return undefined;
  const answer = await fetch(inject("databases"), { method: "POST" });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
