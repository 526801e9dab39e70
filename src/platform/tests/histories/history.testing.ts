import { create } from "@bufbuild/protobuf";
import { type Client as GrpcClient, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { GroupSchema, GroupsService } from "#src/platform/gen/muster/platform/iam/v2beta1/group_pb.ts";
import { RoleBindingsService } from "#src/platform/gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import type { Random } from "../access-model/random.testing.ts";
import { LoginWorld } from "../login-world.testing.ts";
import type { Client } from "../running-platform.testing.ts";
import { settingsAt } from "../settings-at.testing.ts";
import { type Snapshot, snapshotOf } from "./snapshot.testing.ts";

const capabilities = [
  "CAP_IAM_GROUPS_LIST",
  "CAP_IAM_ROLES_LIST",
  "CAP_IAM_IDENTITY_LIST",
  "CAP_REPO_LIST",
  "CAP_TAG_LIST",
];
const publicKeys = [1, 2, 3].map((n) => ({ kty: "EC", crv: "P-256", kid: String(n), ...pointOf(n) }));

/** Points of the curve, whose private keys nobody needs. */
function pointOf(n: number): { x: string; y: string } {
  const pairs = [
    ["f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"],
    ["MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"],
    ["usWxHK2PmfnHKwXPS54m0kTcGJ90UiglWiGahtagnv8", "IBOL-C3BttVivg-lSreASjpkttcsz-1rb7btKLv8EX4"],
  ];
  const [x = "", y = ""] = pairs[n - 1] ?? [];
  return { x, y };
}

/** A moment of a history, with what existed then. */
interface Moment {
  readonly time: number;
  readonly snapshot: Snapshot;
}

/** What was done, and what existed at some moments. */
export interface History {
  readonly world: LoginWorld;
  readonly moments: readonly Moment[];
  /** How many calls succeeded and failed, by their names. */
  readonly calls: ReadonlyMap<string, number>;
}

/** When so many calls in a row failed, the share of the day is used up. */
const failuresOfFullShare = 40;

/**
 * Random changes by every method that changes access, from an empty platform. The platform runs until the caller stops the world.
 * @param auditBytes the share of audit records; each time it is used up, a day passes
 */
export async function randomHistory(random: Random, changes: number, auditBytes?: number): Promise<History> {
  const quota = auditBytes === undefined ? {} : { quota: { ...settingsAt("").quota, auditBytes } };
  const world = await LoginWorld.start({ rootGroupCreators: "anyone", ...quota });
  // Freezing sets the clock back by less than a second, to before the first records.
  world.platform.freeze();
  world.platform.advance(1_000);
  const actor = new RandomActor(random, world);
  await actor.prepare();
  const moments: Moment[] = [];
  let isLate = false;
  while (actor.succeeded < changes) {
    if (actor.failedInSuccession > failuresOfFullShare) {
      world.platform.advance(24 * 3_600_000);
      actor.failedInSuccession = 0;
    }
    const concurrent = random.oneIn(4) ? 4 : 1;
    await Promise.all(Array.from({ length: concurrent }, () => actor.change()));
    world.platform.advance(1 + random.below(40));
    if (random.oneIn(Math.ceil(changes / 10)))
      moments.push({ time: world.platform.now, snapshot: await snapshotOf(world.platform.admin) });
    world.platform.advance(1);
    // Keys and invites have expired, and tokens, so that many calls fail.
    if (!isLate && actor.succeeded > (changes * 4) / 5) {
      world.platform.advance(2 * 24 * 3_600_000);
      isLate = true;
    }
  }
  moments.push({ time: world.platform.now, snapshot: await snapshotOf(world.platform.admin) });
  return { world, moments, calls: actor.calls };
}

type Collection = "groups" | "identities" | "roles" | "roleBindings" | "identityProviders" | "groupInvites";

class RandomActor {
  readonly #random: Random;
  readonly #world: LoginWorld;
  readonly #admin: Client;
  readonly #uids: Record<Collection, string[]>;
  readonly #codes: string[] = [];
  readonly #logins: { readonly group: string; readonly provider: string }[] = [];
  readonly #groupsByGrpc: GrpcClient<typeof GroupsService>;
  readonly #bindingsByGrpc: GrpcClient<typeof RoleBindingsService>;
  readonly #options: { readonly headers: Record<string, string> };
  #builtinRoles: readonly string[] = [];
  #owner: Client | undefined;
  readonly calls = new Map<string, number>();
  succeeded = 0;
  failedInSuccession = 0;

  constructor(random: Random, world: LoginWorld) {
    this.#random = random;
    this.#world = world;
    const { admin, root, url } = world.platform;
    this.#admin = admin;
    this.#uids = {
      groups: [root],
      identities: [],
      roles: [],
      roleBindings: [],
      identityProviders: [],
      groupInvites: [],
    };
    const transport = createGrpcTransport({ baseUrl: url });
    this.#groupsByGrpc = createClient(GroupsService, transport);
    this.#bindingsByGrpc = createClient(RoleBindingsService, transport);
    this.#options = { headers: { authorization: `Bearer ${admin.token}` } };
  }

  async prepare(): Promise<void> {
    const { admin, root } = this.#world.platform;
    const { roles } = await admin.ok("GET", "/iam/v2beta1/roles?uidp.in_root=true");
    this.#builtinRoles = roles.map(({ uid }) => uid);
    this.#owner = await this.#world.platform.callerWith("owner", root);
    this.#logins.push(await this.#world.group());
  }

  /** Makes one call, which may fail. */
  async change(): Promise<void> {
    const all = this.#changes();
    const [name, change] = this.#random.pick(all);
    let hasSucceeded = false;
    try {
      hasSucceeded = await change();
    } catch {
      // A refused call over gRPC, or a login that did not come to its end.
    }
    this.succeeded += hasSucceeded ? 1 : 0;
    this.failedInSuccession = hasSucceeded ? 0 : this.failedInSuccession + 1;
    const key = `${name} ${hasSucceeded ? "ok" : "failed"}`;
    this.calls.set(key, (this.calls.get(key) ?? 0) + 1);
  }

  #changes(): readonly (readonly [string, () => Promise<boolean>])[] {
    const { groups, identities, roles } = this.#uids;
    const random = this.#random;
    const of = (uids: readonly string[]) => (uids.length === 0 ? "0".repeat(40) : random.pick(uids));
    // A role that is not built in cannot be bound outside of its group.
    const role = () => (random.oneIn(3) ? of(roles) : random.pick(this.#builtinRoles));
    const iam = "/iam/v2beta1";
    const name = () => `n${random.below(50)}`;
    const invite = async () => {
      const body = {
        roleUid: role(),
        ttl: `${60 + random.below(7_200)}s`,
        singleUse: random.oneIn(2),
        email: "kate@corp.test",
      };
      if (random.oneIn(2)) body.email = "";
      const response = await this.#client().post(`${iam}/groupInvites/${of(groups)}`, body);
      if (response.status !== 200) return false;
      this.#uids.groupInvites.push(response.body.uid);
      if (body.email === "") this.#codes.push(String(response.body["code"]));
      return true;
    };
    const creating = (collection: Collection, body: () => object) => async () => {
      const response = await this.#client().post(`${iam}/${collection}/${of(groups)}`, body());
      if (response.status === 200) this.#uids[collection].push(response.body.uid);
      return response.status === 200;
    };
    const changing = (collection: Collection, body: () => object, mask?: string) => async () => {
      const query = mask === undefined ? "" : `?updateMask=${encodeURIComponent(mask)}`;
      const uid = of(this.#uids[collection]);
      return (await this.#client().patch(`${iam}/${collection}/${uid}${query}`, body())).status === 200;
    };
    const deleting =
      (collection: Collection, path = `${iam}/${collection}`) =>
      async () => {
        const uid = of(this.#uids[collection]);
        const isDeleted = (await this.#client().delete(`${path}/${uid}`)).status === 200;
        // A few calls go on to name what does not exist any more.
        if (isDeleted && !random.oneIn(8))
          this.#uids[collection] = this.#uids[collection].filter((other) => other !== uid);
        return isDeleted;
      };
    const someCapabilities = () => ({ capabilities: [random.pick(capabilities), ...random.some(capabilities)] });
    const binding = () => ({ identityUid: of(identities), roleUid: role() });
    return [
      ["create group", creating("groups", () => ({ name: name(), description: name() }))],
      [
        "create group in v1",
        async () => {
          const { status, body } = await this.#client().post(`/iam/v1/groups/${of(groups)}`, { name: name() });
          if (status === 200) this.#uids.groups.push(String(body["id"]));
          return status === 200;
        },
      ],
      [
        "create group over gRPC",
        async () => {
          const request = { parent: of(groups), group: create(GroupSchema, { name: name() }) };
          this.#uids.groups.push((await this.#groupsByGrpc.createGroup(request, this.#options)).uid);
          return true;
        },
      ],
      [
        "create root group",
        async () => {
          const { status, body } = await (this.#owner as Client).post(`${iam}/groups`, { name: name() });
          if (status === 200) this.#uids.groups.push(body.uid);
          return status === 200;
        },
      ],
      [
        "update group",
        changing("groups", () => ({ name: name(), resourceLimits: { groups: 1_000 + random.below(9) } })),
      ],
      ["replace group", changing("groups", () => ({ name: name(), description: name() }), "*")],
      [
        "replace group in v1",
        async () => (await this.#client().send("PUT", `/iam/v1/groups/${of(groups)}`, { name: name() })).status === 200,
      ],
      ["delete group", deleting("groups")],
      ["delete group in v1", deleting("groups", "/iam/v1/groups")],
      ["create identity", creating("identities", () => ({ name: name(), ...this.#relationship() }))],
      ["create identity again", creating("identities", () => ({ name: name(), ...this.#relationship() }))],
      ["update identity", changing("identities", () => this.#relationship())],
      ["replace identity", changing("identities", () => ({ name: name(), ...this.#relationship() }), "*")],
      ["describe identity", changing("identities", () => ({ description: name() }), "description")],
      ["delete identity", deleting("identities")],
      [
        "revoke tokens",
        async () => (await this.#client().post(`${iam}/identities/${of(identities)}:revokeTokens`)).status === 200,
      ],
      ["create role", creating("roles", () => ({ name: name(), ...someCapabilities() }))],
      ["update role", changing("roles", someCapabilities)],
      ["delete role", deleting("roles")],
      ["create binding", creating("roleBindings", binding)],
      [
        "create binding over gRPC",
        async () => {
          const request = { parent: of(groups), roleBinding: binding() };
          this.#uids.roleBindings.push((await this.#bindingsByGrpc.createRoleBinding(request, this.#options)).uid);
          return true;
        },
      ],
      [
        "create bindings together",
        async () => {
          const requests = Array.from({ length: 1 + random.below(4) }, () => ({
            parent: of(groups),
            roleBinding: binding(),
          }));
          const { status, body } = await this.#client().post(`${iam}/roleBindings:batchCreate`, { requests });
          if (status === 200) this.#uids.roleBindings.push(...body.roleBindings.map(({ uid }) => uid));
          return status === 200;
        },
      ],
      ["update binding", changing("roleBindings", binding)],
      ["update role of binding", changing("roleBindings", () => ({ roleUid: role() }))],
      ["delete binding", deleting("roleBindings")],
      [
        "create provider",
        async () => {
          const group = of(groups);
          const oidc = { issuer: this.#world.issuer.url, clientId: "muster", clientSecret: "a secret of a client" };
          const { status, body } = await this.#client().post(`${iam}/identityProviders/${group}`, {
            name: name(),
            defaultRole: role(),
            oidc,
          });
          if (status !== 200) return false;
          this.#uids.identityProviders.push(body.uid);
          this.#logins.push({ group, provider: body.uid });
          return true;
        },
      ],
      [
        "update provider",
        changing("identityProviders", () => ({
          defaultRole: role(),
          oidc: { additionalScopes: random.some(["email", "profile"]) },
        })),
      ],
      ["delete provider", deleting("identityProviders")],
      ["create invite", invite],
      ["update invite", changing("groupInvites", () => ({ email: random.oneIn(2) ? "joe@corp.test" : "" }))],
      ["delete invite", deleting("groupInvites")],
      ...(random.oneIn(3) ? [["log in", () => this.#logIn()] as const] : []),
    ];
  }

  /** The admin, or an owner of the first root group, whose calls fail where it has nothing. */
  #client(): Client {
    return this.#random.oneIn(3) ? (this.#owner as Client) : this.#admin;
  }

  #relationship(): object {
    const random = this.#random;
    const text = (n: string) => `${n}${random.below(9)}`;
    switch (random.below(4)) {
      case 0:
        return { claimMatch: { issuer: "https://issuer.example.com", subject: text("s"), claims: { a: text("b") } } };
      case 1:
        return {
          claimMatch: {
            issuerPattern: "https://[a-z]+\\.example\\.com",
            subjectPattern: text("s"),
            audience: text("a"),
          },
        };
      case 2:
        return {
          awsIdentity: {
            awsAccount: "123456789012",
            arnPattern: text("arn:aws:iam::123456789012:role/a"),
            userIdPattern: text("U"),
          },
        };
      default: {
        const keys = random.some(publicKeys);
        const issuerKeys = JSON.stringify({ keys: keys.length === 0 ? publicKeys : keys });
        const ends = new Date(this.#world.platform.now + 3_600_000 * (1 + random.below(48))).toISOString();
        return { staticKeys: { issuer: "https://issuer.example.com", subject: "s", issuerKeys, expirationTime: ends } };
      }
    }
  }

  /** Logs a person in, who may be new and may redeem an invite. */
  async #logIn(): Promise<boolean> {
    const { provider } = this.#random.pick(this.#logins);
    const account = `person${this.#random.below(5)}`;
    const invite = this.#codes.length > 0 && this.#random.oneIn(2) ? { invite: this.#random.pick(this.#codes) } : {};
    const { access_token } = await this.#world.tokens({ identity_provider: provider, ...invite }, account);
    return access_token !== undefined;
  }
}
