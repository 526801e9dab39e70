import { sendJson } from "./send-json.ts";

/** A resource of the platform, as far as tests use it. */
export interface PlatformResource {
  readonly uid: string;
  readonly name: string;
  readonly description: string;
  // The other fields depend on the collection; each test knows which ones it expects.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly [field: string]: any;
}

export type PlatformCollection =
  | "groups"
  | "identities"
  | "roles"
  | "roleBindings"
  | "identityProviders"
  | "accountAssociations"
  | "groupInvites";

/** The platform's API with the administrator's token. */
export class PlatformAdmin {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** All resources of a collection: below a group, or anywhere. */
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

  /** The uid of the group that the platform created when it was initialized. */
  async rootGroup(): Promise<string> {
    const page = await this.call("GET", "groups?uidp.in_root=true");
    const uid: string | undefined = page.groups[0]?.uid;
    if (uid === undefined) throw new Error("the platform has no root group");
    return uid;
  }

  /**
   * @param path below `/iam/v2beta1/`
   * @throws {PlatformError} if the status is not one of success
   * @throws {TypeError} if the connection fails
   */
  // oxlint-disable-next-line typescript/no-explicit-any
  async call(method: string, path: string, body?: object): Promise<any> {
    return sendJson({ url: this.#url, token: this.#token, method, path: `/iam/v2beta1/${path}`, body });
  }
}
