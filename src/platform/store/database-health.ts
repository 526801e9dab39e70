import { type Database, statement } from "./database.ts";
import { PromptRead } from "./prompt-read.ts";

const anyKey = statement((db) => db.selectFrom("signing_keys").select("kid").limit(1));

/** A database that has not responded after this time is unavailable (ms). */
const timeout = 2_000;

/** Whether the database responds. */
export class DatabaseHealth {
  readonly #read: PromptRead<true>;

  /** @param limit milliseconds after which a read that has not ended counts as failed */
  constructor(database: Database, limit = timeout) {
    this.#read = new PromptRead(async () => {
      await database.read((reader) => reader.first(anyKey, {}));
      return true as const;
    }, limit);
  }

  async isUp(): Promise<boolean> {
    return (await this.#read.value()) ?? false;
  }
}
