import type { Clock } from "#src/time/clock.ts";
import type { ListQuery, PlatformApi, ResourcePage } from "#src/platform-client/api.ts";
import type { ExternalRole, ExternalRoleBinding } from "#src/platform-client/permission-resources.ts";
import { type CodeName, PlatformFailure, type PlatformProblem } from "#src/platform-client/failure.ts";
import type { PlatformWrite } from "#src/plan/overlay-platform.ts";
import type { ManagedCollection, ExternalResource, ResourceType } from "#src/platform-client/collection.ts";
import {
  type ExternalIdentityProvider,
  identityProviders,
  listIdentityProviders,
} from "#src/platform-client/identity-providers.ts";
import { childUids, isWithin, parentOf, type UidScheme } from "#src/platform-client/uid.ts";

export const root = "a".repeat(40);
export const viewer = "c".repeat(40);
export const owner = "d".repeat(40);
export const operatorIdentity = `${root}/0000000000000001`;
/** An identity that is not managed in the cluster. */
export const auditor = `${root}/0000000000000003`;

/** A role binding, by default of the role `owner`. */
export function grantOf(uid: string, identityUid: string, roleUid = owner): ExternalRoleBinding {
  const role = { uid: roleUid, name: roleUid === owner ? "owner" : "viewer" };
  return { uid, identity: { uid: identityUid, name: "" }, role };
}

/** Custom roles that exist only where a test makes them. */
export const customRoles = ["d1", "d2"].map((end) => `${root}/00000000000000a1/00000000000000${end}`);
/** The roles that the operator's settings permit to be bound. */
export const allowedRoles = ["viewer", ...customRoles];

type Fields = Readonly<Record<string, unknown>>;

/** What happens to a POST whose response is lost. */
export const lostResponses = ["not applied", "applied", "applied later", "applied twice"] as const;
export type LostResponse = (typeof lostResponses)[number];
/** The delay of "applied later": less than the settle time. */
export const laterMs = 5_000;
/** Small, so that even a small tree needs several pages. */
const resourcesPerPage = 3;

/** A resource with the fields of any type. */
type AnyResource = ExternalResource | (ExternalResource & Readonly<Record<string, unknown>>);

/** A platform in memory. It stores resources, enforces the rules that the operator relies on, and can lose a response. */
export class MemoryPlatform implements PlatformApi {
  /** By collection and uid. */
  readonly #resources: ReadonlyMap<string, Map<string, ExternalResource>>;
  readonly #initial = new Set([root, operatorIdentity, auditor, `${root}/0000000000000002`, owner, viewer]);
  readonly #clock: Clock;
  /** The writes of clients, in order. */
  readonly applied: PlatformWrite[] = [];
  /** The secrets of identity providers, by uid. */
  readonly clientSecrets = new Map<string, string>();
  /** The codes of invites, by uid. */
  readonly codes = new Map<string, string>();
  #updates = 0;
  #count = 16;
  #posts = 0;
  writes = 0;
  calls = 0;
  /** How the uids of a collection name their groups. */
  readonly #uids: ReadonlyMap<string, UidScheme>;
  /** The capabilities to list what Muster manages. */
  readonly listCapabilities: readonly string[];
  /** Loses the response to the POST with this number, counted from 0. */
  lose: { readonly post: number; readonly how: LostResponse } | undefined;
  /** The problem with which a call such as `create groups` fails before it takes effect; undefined if it succeeds. */
  /** The address that an invite for `email` gets. */
  addressOf = (email: string): string => email;
  fault: (call: string) => PlatformProblem | undefined = () => undefined;
  /** How long a call such as `delete groups` takes until it takes effect. */
  travelMs: (call: string) => number = () => 1;
  /** The number of token exchanges. */
  credentialEpoch = 1;
  /** The calls that have not been responded to, and the most that there ever were. */
  inFlight = 0;
  mostInFlight = 0;

  /** Has `collections`, and the roles that grant to list them. */
  constructor(clock: Clock, collections: readonly ManagedCollection[]) {
    this.#clock = clock;
    const others = ["roles", identityProviders.name];
    this.#resources = new Map([...collections.map(({ name }) => name), ...others].map((name) => [name, new Map()]));
    this.#uids = new Map(collections.map(({ name, uids }) => [name, uids]));
    this.listCapabilities = collections.map(({ listCapability }) => listCapability);
    const capabilities = [...this.listCapabilities, listIdentityProviders];
    const binding: ExternalRoleBinding = {
      uid: `${root}/0000000000000002`,
      identity: { uid: operatorIdentity, name: "muster" },
      role: { uid: owner, name: "owner" },
    };
    const roles: readonly ExternalRole[] = [
      { uid: owner, name: "owner", capabilities },
      { uid: viewer, name: "viewer", capabilities },
    ];
    const initial = {
      groups: [{ uid: root, name: "acme", description: "" }],
      identities: [
        { uid: operatorIdentity, name: "muster", description: "" },
        { uid: auditor, name: "auditor", description: "" },
      ],
      roleBindings: [binding],
      roles,
    };
    for (const [collection, resources] of Object.entries(initial))
      for (const resource of resources) this.set(collection, resource);
  }

  /** A platform with the same resources, and another clock. */
  copy(clock: Clock, collections: readonly ManagedCollection[]): MemoryPlatform {
    const copy = new MemoryPlatform(clock, collections);
    for (const [name, resources] of this.#resources) {
      copy.#in(name).clear();
      for (const resource of resources.values()) copy.set(name, structuredClone(resource));
    }
    return copy;
  }

  get posts(): number {
    return this.#posts;
  }

  /** All resources except those that existed from the start. */
  created(): readonly ExternalResource[] {
    return [...this.#resources.values()]
      .flatMap((resources) => [...resources.values()])
      .filter(({ uid }) => !this.#initial.has(uid));
  }

  /** All resources of a collection, except those that existed from the start. */
  createdIn(collection: string): readonly ExternalResource[] {
    return [...this.#in(collection).values()].filter(({ uid }) => !this.#initial.has(uid));
  }

  /** Adds a resource that counts as one that existed from the start. */
  setInitial(collection: string, resource: AnyResource): void {
    this.#initial.add(resource.uid);
    this.set(collection, resource);
  }

  /** The groups in and below which an identity has a role. */
  groupsOf(identity: string): readonly string[] {
    return [...this.#in("roleBindings").values()].flatMap((binding) =>
      identityOf(binding) === identity ? [parentOf(binding.uid) ?? ""] : [],
    );
  }

  /** The resource of a collection with this uid. */
  find(collection: string, uid: string): ExternalResource | undefined {
    return this.#in(collection).get(uid);
  }

  /** Whether a resource with this uid exists. */
  has(uid: string): boolean {
    return [...this.#resources.values()].some((resources) => resources.has(uid));
  }

  /** Changes a resource as another client would. */
  set(collection: string, resource: AnyResource): void {
    this.#in(collection).set(resource.uid, resource);
  }

  remove(collection: string, uid: string): void {
    this.#in(collection).delete(uid);
  }

  async list<R extends ExternalResource>(
    type: ResourceType<R>,
    query: ListQuery,
    signal: AbortSignal,
  ): Promise<ResourcePage<R>> {
    await this.#travel(`list ${type.name}`, signal);
    const { scope, uids: only, filter = {}, pageToken = "" } = query;
    const all = [...this.#in(type.name).values()]
      .filter(({ uid }) => only === undefined || only.includes(uid))
      .filter((resource) => filter["name"] === undefined || nameOf(resource) === filter["name"])
      .filter(({ uid }) => {
        if (scope === undefined) return true;
        const { uids } = type;
        return "descendantsOf" in scope
          ? uids.isBelow(uid, scope.descendantsOf)
          : uids.parentOf(uid) === scope.childrenOf;
      })
      .filter((resource) => filter["identity"] === undefined || identityOf(resource) === filter["identity"])
      .filter((resource) => filter["role"] === undefined || roleOf(resource) === filter["role"])
      .toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
    const rest = all.filter(({ uid }) => uid > pageToken);
    const page = rest.slice(0, only === undefined ? resourcesPerPage : only.length);
    return {
      resources: page as readonly ExternalResource[] as readonly R[],
      totalCount: all.length,
      ...(rest.length > page.length ? { nextPageToken: page.at(-1)?.uid ?? "" } : {}),
    };
  }

  async get<R extends ExternalResource>(type: ResourceType<R>, uid: string, signal: AbortSignal): Promise<R> {
    await this.#travel(`get ${type.name}`, signal);
    return this.#find(`get ${type.name}`, type.name, uid) as R;
  }

  async create<R extends ExternalResource>(
    type: ResourceType<R>,
    parent: string,
    body: Fields,
    signal: AbortSignal,
  ): Promise<R> {
    await this.#travel(`create ${type.name}`, signal);
    const lost = this.lose?.post === this.#posts++ ? this.lose.how : undefined;
    const apply = () => this.#create(type, parent, body) as R;
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
    throw new PlatformFailure(`create ${type.name}`, { kind: "noResponse", message: "the response was lost" });
  }

  async update<R extends ExternalResource>(
    type: ResourceType<R>,
    uid: string,
    body: Fields,
    mask: readonly string[],
    signal: AbortSignal,
  ): Promise<R> {
    await this.#travel(`update ${type.name}`, signal);
    const before = this.#find(`update ${type.name}`, type.name, uid) as R;
    this.#checkSecret(`update ${type.name}`, uid, before, body, mask);
    requireBindable(`update ${type.name}`, body, parentOf(uid) ?? uid);
    this.writes += 1;
    const fields = mask.filter((path) => !path.includes("."));
    const written = Object.fromEntries(fields.map((field) => [field, body[field]]));
    const resource = { ...before, ...this.#withoutSecret(type.name, uid, written, mask) };
    this.set(type.name, resource);
    this.applied.push({ do: "update", collection: type.name, uid, before, after: resource, fields });
    return resource;
  }

  async delete({ name: collection }: ResourceType, uid: string, signal: AbortSignal): Promise<void> {
    const call = `delete ${collection}`;
    await this.#travel(call, signal);
    // To delete a role binding or an account association that does not exist succeeds.
    if (collection !== "roleBindings" && !this.#isSingleton(collection)) this.#find(call, collection, uid);
    if (collection === "groups" && this.#hasChildren(uid)) throw rejection(call, "FAILED_PRECONDITION");
    if (collection === "roles" && this.#isUsed(uid)) throw rejection(call, "FAILED_PRECONDITION", roleInUse);
    this.writes += 1;
    const before = this.#in(collection).get(uid);
    if (before !== undefined)
      this.applied.push({ do: "delete", collection, uid, before, after: undefined, fields: [] });
    this.remove(collection, uid);
    if (collection !== "identities") return;
    for (const binding of this.#in("roleBindings").values())
      if (identityOf(binding) === uid) this.remove("roleBindings", binding.uid);
  }

  /** A request that was sent arrives, even if its sender dies. */
  async #travel(call: string, _signal: AbortSignal): Promise<void> {
    this.calls += 1;
    this.mostInFlight = Math.max(this.mostInFlight, (this.inFlight += 1));
    await this.#clock.sleep(this.travelMs(call), new AbortController().signal);
    this.inFlight -= 1;
    const problem = this.fault(call);
    if (problem !== undefined) throw new PlatformFailure(call, problem);
  }

  #create({ name: collection, issuing }: ResourceType, parent: string, body: Fields): ExternalResource {
    const call = `create ${collection}`;
    this.#find(call, "groups", parent);
    const { identityUid, roleUid } = body;
    if (collection === "roleBindings") this.#find(call, "identities", String(identityUid));
    requireBindable(call, body, parent);
    if (this.#isSingleton(collection) && this.#in(collection).has(parent)) throw rejection(call, "ALREADY_EXISTS");
    this.writes += 1;
    const number = this.#count++;
    const uid = this.#isSingleton(collection) ? parent : `${parent}/${number.toString(16).padStart(16, "0")}`;
    // Of the other kinds, the operator does not read when their resources were created.
    const times = this.#isSingleton(collection)
      ? { createTime: new Date(Date.UTC(2026, 0, 1) + number).toISOString() }
      : {};
    const resource =
      collection === "roleBindings"
        ? { uid, identity: { uid: String(identityUid), name: "" }, role: { uid: String(roleUid), name: "" } }
        : issuing
          ? { ...this.#invite(body), uid }
          : { description: "", ...this.#withoutSecret(collection, uid, body, ["oidc"]), ...times, uid };
    this.set(collection, resource);
    const fields = Object.keys(body);
    this.applied.push({ do: "create", collection, uid, before: undefined, after: resource, fields });
    if (!issuing) return resource;
    const code = `planted-code-${this.#count}-of-an-invite`;
    this.codes.set(uid, code);
    const response = { ...resource, code };
    return response;
  }

  /** An invite without its code, which expires as long after now as the request says. */
  #invite({ roleUid, ttl, email, ...others }: Fields): Fields {
    const expirationTime = new Date(this.#clock.now() + Number.parseFloat(String(ttl)) * 1000).toISOString();
    const role = { uid: String(roleUid), name: "" };
    return { ...others, role, email: this.addressOf(typeof email === "string" ? email : ""), expirationTime };
  }

  /** Keeps the secret of an identity provider, which no response contains. An empty one is kept unless the mask names it. */
  #withoutSecret(collection: string, uid: string, body: Fields, mask: readonly string[]): Fields {
    if (collection !== identityProviders.name) return body;
    const updateTime = `2026-01-01T00:00:00.${String(++this.#updates).padStart(6, "0")}Z`;
    if (!mask.includes("oidc")) return { ...body, updateTime };
    const { clientSecret, ...oidc } = body["oidc"] as Readonly<Record<string, string>>;
    if (clientSecret !== undefined) this.clientSecrets.set(uid, clientSecret);
    else if (mask.includes("oidc.clientSecret")) this.clientSecrets.delete(uid);
    return { ...body, oidc, updateTime };
  }

  /** A provider keeps its secret only at its issuer, and needs a secret or PKCE. @throws {PlatformFailure} */
  #checkSecret(call: string, uid: string, before: ExternalResource, body: Fields, mask: readonly string[]): void {
    if (!mask.includes("oidc")) return;
    const { clientSecret, issuer, pkceEnabled } = body["oidc"] as Readonly<Record<string, unknown>>;
    if (clientSecret !== undefined) return;
    const keeps = this.clientSecrets.has(uid) && !mask.includes("oidc.clientSecret");
    const isSent = keeps && (before as ExternalIdentityProvider).oidc?.issuer !== issuer;
    if (isSent || (!keeps && pkceEnabled !== true)) throw rejection(call, "INVALID_ARGUMENT");
  }

  #find(call: string, collection: string, uid: string): ExternalResource {
    const resource = this.#in(collection).get(uid);
    if (resource === undefined) throw rejection(call, "NOT_FOUND");
    return resource;
  }

  #in(collection: string): Map<string, ExternalResource> {
    const resources = this.#resources.get(collection);
    if (resources === undefined) throw new Error(`the platform has no collection ${collection}`);
    return resources;
  }

  #isSingleton(collection: string): boolean {
    return this.#uids.get(collection)?.isSingleton === true;
  }

  #isUsed(role: string): boolean {
    return ["roleBindings", "groupInvites", "identityProviders"].some((collection) =>
      [...(this.#resources.get(collection)?.values() ?? [])].some(
        (resource) => roleOf(resource) === role && !this.#hasExpired(resource),
      ),
    );
  }

  /** An invite that has expired counts no longer. */
  #hasExpired(resource: ExternalResource): boolean {
    return "expirationTime" in resource && Date.parse(String(resource.expirationTime)) <= this.#clock.now();
  }

  #hasChildren(group: string): boolean {
    return [...this.#resources].some(([collection, resources]) => {
      const uids = this.#uids.get(collection) ?? childUids;
      return [...resources.values()].some((one) => uids.parentOf(one.uid) === group && !this.#hasExpired(one));
    });
  }
}

/** A custom role can be bound, or given, only in its own group and below it. */
function requireBindable(call: string, { roleUid, defaultRole = roleUid }: Fields, group: string): void {
  const home = typeof defaultRole === "string" ? parentOf(defaultRole) : undefined;
  if (home !== undefined && !isWithin(group, home)) throw rejection(call, "INVALID_ARGUMENT");
}

function identityOf(resource: ExternalResource): string | undefined {
  return "identity" in resource ? (resource as ExternalRoleBinding).identity.uid : undefined;
}

function nameOf(resource: ExternalResource): string | undefined {
  return (resource as { readonly name?: string }).name;
}

function roleOf(resource: ExternalResource): string | undefined {
  if ("defaultRole" in resource) return String(resource.defaultRole);
  return "role" in resource ? (resource as ExternalRoleBinding).role.uid : undefined;
}

const groupNotEmpty = { type: "RESOURCE_NOT_EMPTY", description: "cannot delete group with child groups" };
const roleInUse = { type: "RESOURCE_IN_USE", description: "cannot delete role that is bound" };

export function rejection(call: string, code: CodeName, violation = groupNotEmpty): PlatformFailure {
  const preconditionViolations = code === "FAILED_PRECONDITION" ? [violation] : [];
  return new PlatformFailure(call, {
    kind: "rejected",
    error: { code, message: code, reason: code, domain: "", fieldViolations: [], preconditionViolations },
  });
}
