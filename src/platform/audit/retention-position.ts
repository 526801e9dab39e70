import { type Reader, statement, type Writer } from "../store/database.ts";

/** How far retention has come. */
export interface Retention {
  /** Retention continues after this sequence: until there, the log has states only. */
  readonly position: number;
  /** Changes from before this time were deleted (ms); undefined if none was. */
  readonly completeSince: number | undefined;
}

const name = "audit_retention";
const select = statement((db, p: { name: string }) =>
  db.selectFrom("facts").select("value").where("name", "=", p.name),
);
const upsert = statement((db, p: { name: string; value: string }) =>
  db
    .insertInto("facts")
    .values({ name: p.name, value: p.value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: p.value })),
);

export async function retentionOf(reader: Reader): Promise<Retention> {
  const row = await reader.first(select, { name });
  return row === undefined ? { position: 0, completeSince: undefined } : (JSON.parse(row.value) as Retention);
}

export async function setRetention(tx: Writer, retention: Retention): Promise<void> {
  await tx.run(upsert, { name, value: JSON.stringify(retention) });
}
