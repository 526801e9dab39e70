import type { Proxies } from "#src/http/proxies.ts";
import { HttpTransport } from "#src/platform-client/transport.ts";
import { systemClock } from "#src/time/clock.ts";

/** More than any platform permits below one root group by default. */
const maxPages = 10_000;

/** The fields of a platform resource that `muster bootstrap` uses. */
export interface Resource {
  readonly uid: string;
  readonly name?: string;
  readonly description?: string;
  readonly claimMatch?: { readonly issuer?: string; readonly subject?: string; readonly audience?: string };
  readonly identity?: { readonly uid?: string };
  readonly role?: { readonly uid?: string };
}

export interface AdminApiOptions {
  readonly platformUrl: URL;
  /** PEM certificates of the authorities to trust. Absent: the default ones. */
  readonly ca?: string;
  /** Absent: the platform is called directly. */
  readonly proxies?: Proxies | undefined;
  readonly adminToken: string;
  readonly signal: AbortSignal;
}

/** The platform's API, called with the admin token. Every method throws a `PlatformFailure`. */
export class AdminApi {
  readonly #transport: HttpTransport;
  readonly #options: AdminApiOptions;

  constructor(options: AdminApiOptions) {
    this.#options = options;
    this.#transport = new HttpTransport({
      connections: 1,
      deadlineMs: 30_000,
      clock: systemClock,
      proxies: options.proxies,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    });
  }

  /** Every resource of the collection that matches the query. */
  async list(collection: string, query: Record<string, string>): Promise<readonly Resource[]> {
    const all: Resource[] = [];
    let pageToken = "";
    for (let pages = 0; pages < maxPages; pages += 1) {
      const parameters = new URLSearchParams({ ...query, page_size: "200", page_token: pageToken });
      const response = await this.#send("GET", `${collection}?${parameters.toString()}`);
      const page = (response ?? {}) as Record<string, unknown>;
      all.push(...((page[collection] ?? []) as readonly Resource[]));
      const next = page["nextPageToken"];
      if (typeof next !== "string" || next === "") return all;
      pageToken = next;
    }
    throw new Error(`the list of ${collection} on the platform has more than ${maxPages} pages`);
  }

  async create(collection: string, parent: string, body: object): Promise<Resource> {
    return (await this.#send("POST", `${collection}/${parent}`, body)) as Resource;
  }

  /** Changes the fields of `body`. */
  async update(collection: string, uid: string, body: object): Promise<Resource> {
    return (await this.#send("PATCH", `${collection}/${uid}?updateMask=${Object.keys(body).join()}`, body)) as Resource;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #send(method: "GET" | "POST" | "PATCH", path: string, body?: object): Promise<unknown> {
    const { platformUrl, adminToken, signal } = this.#options;
    const { origin, pathname } = platformUrl;
    const call = {
      name: `${method} ${path.split("?")[0]} at ${origin}`,
      method,
      origin,
      bearer: adminToken,
      path: `${pathname.replace(/\/$/, "")}/iam/v2beta1/${path}`,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    return this.#transport.send(call, signal);
  }
}
