import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";

const size =
  "select coalesce(sum(octet_length(fields) + octet_length(author) + octet_length(details)), 0) / 1048576.0 as mib from audit_log";

/** The texts of all records in the audit log (MiB). @param data the file or the URL of the database */
export async function auditLogMiB(data: string): Promise<number> {
  if (!data.includes("://")) {
    const database = new DatabaseSync(data, { readOnly: true, timeout: 10_000 });
    try {
      return Number(database.prepare(size).get()?.["mib"]);
    } finally {
      database.close();
    }
  }
  const client = new Client({ connectionString: data });
  await client.connect();
  try {
    return Number((await client.query<{ mib: string }>(size)).rows[0]?.mib);
  } finally {
    await client.end();
  }
}
