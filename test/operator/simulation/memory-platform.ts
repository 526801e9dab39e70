import type { Clock } from "#src/time/clock.ts";
import type { ListQuery, PlatformApi, ResourcePage } from "#src/platform-client/api.ts";
import { type CodeName, PlatformFailure } from "#src/platform-client/failure.ts";
import type { ExternalResources } from "#src/platform-client/external-resource.ts";
import { isBelow, parentOf } from "#src/platform-client/uid.ts";

export const root = "a".repeat(40);
export const viewer = "c".repeat(40);
const owner = "d".repeat(40);
export const operatorIdentity = `${root}/0000000000000001`;
/** An identity that is not managed in the cluster. */
export const auditor = `${root}/0000000000000003`;

type Collection = keyof ExternalResources;
type Fields = Readonly<Record<string, unknown>>;

/** What happens to a POST whose response is lost. */
export const lostResponses = ["not applied", "applied", "applied later", "applied twice"] as const;
export type LostResponse = (typeof lostResponses)[number];
/** The delay of "applied later": less than the settle time. */
export const laterMs = 5_000;
/** Small, so that even a small tree needs several pages. */
const resourcesPerPage = 3;

/** A platform in memory. It stores resources, enforces the rules that the operator relies on, and can lose a response. */
export class MemoryPlatform implements PlatformApi {
  /** By collection and uid. */
  readonly #resources: { readonly [C in Collection]: Map<string, ExternalResources[C]> };
  readonly #clock: Clock;
  #count = 16;
  #posts = 0;
  writes = 0;
  calls = 0;
  /** Loses the response to the POST with this number, counted from 0. */
  lose: { readonly post: number; readonly how: LostResponse } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    const capabilities = ["CAP_IAM_GROUPS_LIST", "CAP_IAM_IDENTITY_LIST", "CAP_IAM_ROLE_BINDINGS_LIST"];
    const own = { uid: `${root}/0000000000000002`, identity: { uid: operatorIdentity, name: "muster" } };
    this.#resources = {
      groups: new Map([[root, { uid: root, name: "acme", description: "" }]]),
      identities: new Map([
        [operatorIdentity, { uid: operatorIdentity, name: "muster", description: "" }],
        [auditor, { uid: auditor, name: "auditor", description: "" }],
      ]),
      roleBindings: new Map([[own.uid, { ...own, role: { uid: owner, name: "owner" } }]]),
      roles: new Map([
        [owner, { uid: owner, name: "owner", capabilities }],
        [viewer, { uid: viewer, name: "viewer", capabilities }],
      ]),
    };
  }

  get posts(): number {
    return this.#posts;
  }

  /** All resources except those that existed from the start. */
  created(): readonly ExternalResources[Collection][] {
    const initial = new Set([root, operatorIdentity, auditor, `${root}/0000000000000002`, owner, viewer]);
    return Object.values(this.#resources)
      .flatMap((resources) => [...resources.values()])
      .filter(({ uid }) => !initial.has(uid));
  }

  /** Changes a resource as another client would. */
  set<C extends Collection>(collection: C, resource: ExternalResources[C]): void {
    this.#in(collection).set(resource.uid, resource);
  }

  remove(collection: Collection, uid: string): void {
    this.#resources[collection].delete(uid);
  }

  async list<C extends Collection>(
    collection: C,
    query: ListQuery,
    signal: AbortSignal,
  ): Promise<ResourcePage<ExternalResources[C]>> {
    await this.#travel(signal);
    const { scope, filter = {}, pageToken = "" } = query;
    const all = [...this.#in(collection).values()]
      .filter(({ uid }) => {
        if (scope === undefined) return true;
        return "descendantsOf" in scope ? isBelow(uid, scope.descendantsOf) : parentOf(uid) === scope.childrenOf;
      })
      .filter(
        (resource) =>
          filter["identity"] === undefined || ("identity" in resource && resource.identity.uid === filter["identity"]),
      )
      .toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
    const rest = all.filter(({ uid }) => uid > pageToken);
    const page = rest.slice(0, resourcesPerPage);
    return {
      resources: page,
      totalCount: all.length,
      ...(rest.length > page.length ? { nextPageToken: page.at(-1)?.uid ?? "" } : {}),
    };
  }

  async get<C extends Collection>(collection: C, uid: string, signal: AbortSignal): Promise<ExternalResources[C]> {
    await this.#travel(signal);
    return this.#find(`get ${collection}`, collection, uid);
  }

  async create<C extends Collection>(
    collection: C,
    parent: string,
    body: Fields,
    signal: AbortSignal,
  ): Promise<ExternalResources[C]> {
    await this.#travel(signal);
    const lost = this.lose?.post === this.#posts++ ? this.lose.how : undefined;
    const apply = () => this.#create(collection, parent, body);
    if (lost === undefined) return apply();
    if (lost === "applied") apply();
    if (lost === "applied twice") {
      apply();
      apply();
    }
    if (lost === "applied later")
      this.#clock.setTimer(() => {
        // The parent or the identity may be gone by then.
        try {
          apply();
        } catch {}
      }, laterMs);
    throw new PlatformFailure(`create ${collection}`, { kind: "noResponse", message: "the response was lost" });
  }

  async update<C extends Collection>(
    collection: C,
    uid: string,
    body: Fields,
    mask: readonly string[],
    signal: AbortSignal,
  ): Promise<ExternalResources[C]> {
    await this.#travel(signal);
    const before = this.#find(`update ${collection}`, collection, uid);
    this.writes += 1;
    const resource = { ...before, ...Object.fromEntries(mask.map((field) => [field, body[field]])) };
    this.#in(collection).set(uid, resource);
    return resource;
  }

  async delete(collection: Collection, uid: string, signal: AbortSignal): Promise<void> {
    await this.#travel(signal);
    const call = `delete ${collection}`;
    if (collection !== "roleBindings") this.#find(call, collection, uid);
    if (collection === "groups" && this.#hasChildren(uid)) throw rejection(call, "FAILED_PRECONDITION");
    this.writes += 1;
    this.#resources[collection].delete(uid);
    if (collection !== "identities") return;
    for (const binding of this.#resources.roleBindings.values())
      if (binding.identity.uid === uid) this.#resources.roleBindings.delete(binding.uid);
  }

  /** A request that was sent arrives, even if its sender dies. */
  async #travel(_signal: AbortSignal): Promise<void> {
    this.calls += 1;
    await this.#clock.sleep(1, new AbortController().signal);
  }

  #create<C extends Collection>(collection: C, parent: string, body: Fields): ExternalResources[C] {
    const call = `create ${collection}`;
    this.#find(call, "groups", parent);
    const { identityUid, roleUid } = body;
    if (collection === "roleBindings") this.#find(call, "identities", String(identityUid));
    this.writes += 1;
    const uid = `${parent}/${(this.#count++).toString(16).padStart(16, "0")}`;
    const resource =
      collection === "roleBindings"
        ? { uid, identity: { uid: String(identityUid), name: "" }, role: { uid: String(roleUid), name: "" } }
        : { description: "", ...body, uid };
    this.#in(collection).set(uid, resource as ExternalResources[C]);
    return resource as ExternalResources[C];
  }

  #find<C extends Collection>(call: string, collection: C, uid: string): ExternalResources[C] {
    const resource = this.#in(collection).get(uid);
    if (resource === undefined) throw rejection(call, "NOT_FOUND");
    return resource;
  }

  #in<C extends Collection>(collection: C): Map<string, ExternalResources[C]> {
    return this.#resources[collection];
  }

  #hasChildren(group: string): boolean {
    return Object.values(this.#resources).some((resources) =>
      [...resources.keys()].some((uid) => parentOf(uid) === group),
    );
  }
}

function rejection(call: string, code: CodeName): PlatformFailure {
  const preconditionViolations =
    code === "FAILED_PRECONDITION"
      ? [{ type: "RESOURCE_NOT_EMPTY", description: "cannot delete group with child groups" }]
      : [];
  return new PlatformFailure(call, {
    kind: "rejected",
    error: { code, message: code, reason: code, domain: "", fieldViolations: [], preconditionViolations },
  });
}
