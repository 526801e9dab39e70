import { identities } from "../collections/identities.ts";
import type { Identity_Person } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { BoundedCache } from "../limits/bounded-cache.ts";
import type { Database } from "../store/database.ts";

/** About what an entry takes (bytes): a uid, a name and an address. */
const entryBytes = 2_048;
const maximumEntries = 4_096;

/**
 * Who the people are that records name by uids, as the platform knows them now: nothing is known of somebody whose identity was
 * deleted.
 */
export class PeopleOfRecords {
  readonly #database: Database;
  readonly #known = new BoundedCache<string, { readonly person: Identity_Person | undefined }>({
    entries: maximumEntries,
    bytes: maximumEntries * entryBytes,
  });

  constructor(database: Database) {
    this.#database = database;
  }

  /** @param identity its uid */
  async person(identity: string): Promise<Identity_Person | undefined> {
    let known = this.#known.get(identity);
    if (known === undefined) {
      const found = await this.#database.read((tx) => identities.find(tx, identity));
      known = { person: found?.person };
      this.#known.set(identity, known, entryBytes);
    }
    return known.person;
  }
}
