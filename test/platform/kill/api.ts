/** A resource as an answer has it. */
export interface Resource {
  readonly uid: string;
}

/** The API as the kill loop uses it. */
export class Api {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** @throws Error where the answer is none, or no success */
  async send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === "" ? {} : JSON.parse(text)) as T;
  }

  /** All of a collection below a group. @throws Error where the total is not what the pages hold */
  async below<T extends Resource>(collection: string, group: string): Promise<T[]> {
    const all: T[] = [];
    for (let token: string | undefined = ""; token !== undefined; ) {
      const path: string = `/iam/v2beta1/${collection}?page_size=200&uidp.descendants_of=${group}&page_token=${token}`;
      const page: Record<string, unknown> = await this.send("GET", path);
      all.push(...(page[collection] as T[]));
      token = page["nextPageToken"] as string | undefined;
      if (token === undefined && Number(page["totalCount"]) !== all.length)
        throw new Error(`half-done: ${String(page["totalCount"])} ${collection} are counted, ${all.length} are there`);
    }
    return all;
  }
}
