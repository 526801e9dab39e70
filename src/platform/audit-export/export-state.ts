import { type Database, type Reader, statement, type Writer } from "../store/database.ts";

const factName = "audit export";

/** How long a replica exports without renewing its lease. */
export const leaseMs = 30_000;

/** What the replicas share about the export, as a row of `facts`. */
interface ExportState {
  /** The sequence of the last record that was exported. */
  readonly position: number;
  /** The replica that exports. */
  readonly holder: string;
  /** When another replica may take over, in milliseconds since the epoch. */
  readonly expires: number;
}

const none: ExportState = { position: 0, holder: "", expires: 0 };

const select = statement<object, { value: string }>((db) =>
  db.selectFrom("facts").select("value").where("name", "=", factName),
);
const upsert = statement((db, p: { value: string }) =>
  db
    .insertInto("facts")
    .values({ name: factName, value: p.value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: p.value })),
);

async function read(tx: Reader): Promise<ExportState> {
  const row = await tx.first(select, {});
  return row === undefined ? none : (JSON.parse(row.value) as ExportState);
}

async function store(tx: Writer, state: ExportState): Promise<void> {
  await tx.run(upsert, { value: JSON.stringify(state) });
}

/** The sequence of the last record that was exported; 0 if there is none. */
export async function exportPosition(tx: Reader): Promise<number> {
  return (await read(tx)).position;
}

/** The lease of one replica on the export: only its holder exports, so that records arrive in order. */
export class ExportLease {
  readonly #database: Database;
  readonly #holder: string;

  /** @param holder distinguishes the replicas, and the starts of each */
  constructor(database: Database, holder: string) {
    this.#database = database;
    this.#holder = holder;
  }

  /** Takes or renews the lease. While another replica has it, this only reads. @returns whether this replica has the lease */
  async take(now: number): Promise<boolean> {
    if (!this.#mayTake(await this.#database.read(read), now)) return false;
    return this.#database.write(async (tx) => {
      const state = await read(tx);
      if (!this.#mayTake(state, now)) return false;
      await store(tx, { ...state, holder: this.#holder, expires: now + leaseMs });
      return true;
    });
  }

  /** Stores that the records up to the position were exported, and renews the lease. @returns false if it was lost */
  advance(position: number, now: number): Promise<boolean> {
    return this.#database.write(async (tx) => {
      const { holder } = await read(tx);
      if (holder !== this.#holder) return false;
      await store(tx, { position, holder, expires: now + leaseMs });
      return true;
    });
  }

  /** Lets another replica take over at once. */
  async release(): Promise<void> {
    await this.#database.write(async (tx) => {
      const state = await read(tx);
      if (state.holder === this.#holder) await store(tx, { ...state, holder: "", expires: 0 });
    });
  }

  /** A lease that ends later than a new one would, was taken by a replica whose clock was wrong. */
  #mayTake({ holder, expires }: ExportState, now: number): boolean {
    return holder === this.#holder || expires <= now || expires > now + 2 * leaseMs;
  }
}
