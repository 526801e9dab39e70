import { Agent, request } from "undici";

/** A resource of the platform, as far as tests look at it. */
export interface PlatformResource {
  readonly uid: string;
  readonly name: string;
  readonly description: string;
  // What else is in it depends on the collection; tests say what they expect.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly [field: string]: any;
}

export type PlatformCollection = "groups" | "identities" | "roles" | "roleBindings";

/** The platform answered with an error. */
export class PlatformError extends Error {
  override readonly name = "PlatformError";
  readonly status: number;
  readonly body: unknown;
  constructor(what: string, status: number, body: unknown) {
    super(`${what}: HTTP ${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
  }
}

/** The platform with the administrator's eyes: shares no code with the operator's client, so that tests see for themselves. */
export class PlatformAdmin {
  readonly #url: string;
  readonly #token: string;
  readonly #agent = new Agent();

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** All of a collection, below a group or anywhere. */
  async list(collection: PlatformCollection, descendantsOf?: string): Promise<PlatformResource[]> {
    const all: PlatformResource[] = [];
    let token = "";
    do {
      const query = new URLSearchParams({
        page_size: "200",
        ...(descendantsOf === undefined ? {} : { "uidp.descendants_of": descendantsOf }),
      });
      if (token !== "") query.set("page_token", token);
      const page = await this.call("GET", `${collection}?${query.toString()}`);
      all.push(...page[collection]);
      token = page.nextPageToken ?? "";
    } while (token !== "");
    return all;
  }

  async get(collection: PlatformCollection, uid: string): Promise<PlatformResource> {
    return this.call("GET", `${collection}/${uid}`);
  }

  async create(collection: PlatformCollection, parent: string, body: object): Promise<PlatformResource> {
    return this.call("POST", `${collection}/${parent}`, body);
  }

  async update(collection: PlatformCollection, uid: string, body: object): Promise<PlatformResource> {
    return this.call("PATCH", `${collection}/${uid}`, body);
  }

  async delete(collection: PlatformCollection, uid: string): Promise<void> {
    await this.call("DELETE", `${collection}/${uid}`);
  }

  /** The group that the platform made at its first start. */
  async rootGroup(): Promise<string> {
    const page = await this.call("GET", "groups?uidp.in_root=true");
    const uid: string | undefined = page.groups[0]?.uid;
    if (uid === undefined) throw new Error("the platform has no root group");
    return uid;
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  async call(method: string, path: string, body?: object): Promise<any> {
    const answer = await request(`${this.#url}/iam/v2beta1/${path}`, {
      method: method as "GET",
      dispatcher: this.#agent,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    const parsed: unknown = text === "" ? undefined : JSON.parse(text);
    if (answer.statusCode >= 400) throw new PlatformError(`${method} ${path}`, answer.statusCode, parsed);
    return parsed;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
