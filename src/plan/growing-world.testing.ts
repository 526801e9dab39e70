import { withMarker, markerOf, objectHash, ownerHash } from "#src/kinds/marker.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { type ListQuery, type ListScope, type ReadApi, resourcesPerPage } from "#src/platform-client/api.ts";
import type { ResourceType } from "#src/platform-client/collection.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { VirtualClock } from "#src/time/virtual-clock.ts";
import { rejected } from "./rejected.ts";
import { makePlan, type MadePlan } from "./make-plan.ts";
import { type ClusterObject, MemoryCluster } from "./memory-cluster.ts";
import { readyObject } from "./ready-object.testing.ts";

const root = "a".repeat(40);
const viewer = "c".repeat(40);
const operator = `${root}/${"d".repeat(16)}`;
const ciIssuer = "https://ci.example.com";
const endpoints = {
  authUrl: "https://platform.test",
  platformUrl: "https://platform.test",
  defaultAudience: "platform.test",
};

interface Resource {
  readonly uid: string;
  readonly [field: string]: unknown;
}

/** Without the functions of the uid scheme, whose calls are counted. */
function isIn({ uid }: Resource, scope: ListScope | undefined): boolean {
  if (scope === undefined) return true;
  return "childrenOf" in scope ? parentOf(uid) === scope.childrenOf : uid.startsWith(`${scope.descendantsOf}/`);
}

/** A cluster whose objects are Ready, and the platform with their resources: each group has an identity, and that a role binding. */
export class GrowingWorld {
  readonly cluster: MemoryCluster;
  readonly #clock = new VirtualClock(Date.UTC(2026, 0, 2));
  /** The calls of the platform, and how often the uid of a resource was looked at. */
  calls = 0;
  looks = 0;
  readonly #resources: Readonly<Record<string, Resource[]>>;

  constructor(groups: number) {
    const owner = { identity: { uid: operator, name: "" }, role: { uid: viewer, name: "" } };
    const capabilities = kinds.map(({ collection }) => collection.listCapability);
    const resources = {
      groups: [{ uid: root, name: "root" }] as Resource[],
      identities: [{ uid: operator, name: "muster", description: withRecordedOwner("", "prod") }] as Resource[],
      roleBindings: [{ uid: `${root}/${"e".repeat(16)}`, ...owner }] as Resource[],
      roles: [{ uid: viewer, name: "viewer", capabilities }] as Resource[],
    };
    const objects: ClusterObject[] = [];
    const declare = (kind: string, name: string, uid: string, spec: object, status: object = {}) => {
      const number = objects.length + 1;
      objects.push(readyObject({ kind, namespace: "shop", name, spec, uid, tenant: "shop", number, status }));
    };
    const described = (kind: string, name: string) =>
      withMarker("", markerOf(ownerHash("prod"), objectHash(kind, "shop", name)));
    for (let index = 0; index < groups; index += 1) {
      const name = `group-${index}`;
      const group = `${root}/${index.toString(16).padStart(16, "0")}`;
      const identity = `${group}/${"1".repeat(16)}`;
      const claimMatch = { issuer: ciIssuer, subject: name };
      const { authUrl, defaultAudience: audience, platformUrl } = endpoints;
      const exchange = {
        url: `${authUrl}/sts/exchange`,
        platformUrl,
        ...claimMatch,
        audience,
        apiAudience: platformUrl,
      };
      const binding = { uid: `${group}/${"2".repeat(16)}`, identityUid: identity, roleUid: viewer };
      resources.groups.push({ uid: group, name, description: described("Group", name) });
      resources.identities.push({ uid: identity, name, description: described("Identity", name), claimMatch });
      resources.roleBindings.push({
        uid: binding.uid,
        identity: { uid: identity, name },
        role: { uid: viewer, name: "viewer" },
      });
      declare("Group", name, group, { parentUid: root });
      declare("Identity", name, identity, { groupRef: { name }, claimMatch }, { exchange });
      const references = { groupRef: { name }, identityRef: { name }, roleRef: { name: "viewer" } };
      declare("RoleBinding", name, binding.uid, references, { identityUid: identity, roleUid: viewer });
    }
    const around = (apiVersion: string, kind: string, spec?: object): ClusterObject => ({
      apiVersion,
      kind,
      metadata: { name: "shop", uid: kind, resourceVersion: "1", generation: 1 },
      ...(spec === undefined ? {} : { spec }),
    });
    const tenant = { namespaces: ["shop"], groups: [root], roles: ["viewer"], claimIssuers: [{ issuer: ciIssuer }] };
    this.#resources = resources;
    this.cluster = new MemoryCluster(
      [around("v1", "Namespace"), around("iam.muster.dev/v1beta1", "Tenant", tenant), ...objects],
      this.#clock,
    );
  }

  /** Without any of the resources. */
  emptyPlatform(): void {
    for (const all of Object.values(this.#resources))
      all.splice(
        0,
        all.length,
        ...all.filter(({ uid }) => uid === root || uid === viewer || uid === operator || uid.endsWith("e".repeat(16))),
      );
  }

  plan(): Promise<MadePlan> {
    return makePlan({
      kinds,
      cluster: this.cluster,
      clock: this.#clock,
      reads: this.#reads(),
      caller: "administrator",
      identity: operator,
      owner: "prod",
      outer: { roots: [root], roles: ["viewer"], namespaces: null },
      class: "",
      subjects: undefined,
      ownerId: "prod",
      owners: [ownerHash("prod")],
      serviceAccounts: { issuer: "https://kubernetes.test", audience: "platform.test", uploaded: undefined },
      publicIssuers: [],
      endpoints,
      settleMs: 15_000,
      breakerLimits: { objects: 1_000_000, share: 1 },
      confirmationOf: () => undefined,
      signal: new AbortController().signal,
    });
  }

  #reads(): ReadApi {
    const list = async (type: ResourceType, { filter = {}, pageToken, scope }: ListQuery) => {
      this.calls += 1;
      const all = (this.#resources[type.name] ?? [])
        .filter((one) => isIn(one, scope) && Object.values(filter).every((uid) => JSON.stringify(one).includes(uid)))
        .toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
      const start = Number(pageToken ?? 0);
      const end = start + resourcesPerPage;
      const resources = all.slice(start, end).map((one) => this.#counted(type.schema.parse(one)));
      return { resources, totalCount: all.length, ...(end < all.length ? { nextPageToken: String(end) } : {}) };
    };
    const get = async (type: ResourceType, uid: string) => {
      this.calls += 1;
      const found = this.#resources[type.name]?.find((one) => one.uid === uid);
      if (found === undefined) throw rejected(`get ${type.name}`, "NOT_FOUND");
      return this.#counted(type.schema.parse(found));
    };
    return { list, get } as unknown as ReadApi;
  }

  /** The resource, each look at whose uid is counted: whoever goes through a list looks at it. */
  #counted<T extends { readonly uid: string }>(resource: T): T {
    let { uid } = resource;
    const look = () => {
      this.looks += 1;
      return uid;
    };
    const set = (value: string) => {
      uid = value;
    };
    return Object.defineProperty(resource, "uid", { enumerable: true, configurable: true, get: look, set });
  }
}
