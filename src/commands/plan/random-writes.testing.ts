import { kinds } from "#src/kinds/kinds.ts";
import { OverlayPlatform, type PlatformWrite } from "#src/plan/overlay-platform.ts";
import { ProvenReads } from "#src/plan/proven-reads.ts";
import { nameOf } from "#src/commands/access/compare-with-platform.testing.ts";
import { inProcessApi } from "#src/commands/access/in-process-api.testing.ts";
import type { Call } from "#src/platform/tests/access-model/call.testing.ts";
import type { InProcess } from "#src/platform/tests/access-model/in-process.testing.ts";
import type { Random } from "#src/platform/tests/access-model/random.testing.ts";
import {
  type Place,
  randomCapabilities,
  rolesFor,
  type World,
} from "#src/platform/tests/access-model/world.testing.ts";
import type { ManagedCollection } from "#src/platform-client/collection.ts";
import { roles } from "#src/platform-client/permission-resources.ts";

const roleCollection: ManagedCollection = {
  ...roles,
  listCapability: "CAP_IAM_ROLES_LIST",
  authenticationFields: [],
  issuing: null,
  naturalKeyOf: () => undefined,
  nameOf: () => undefined,
};
const collections: readonly ManagedCollection[] = [...kinds.map(({ collection }) => collection), roleCollection];
const { signal } = new AbortController();

type CollectionName = "groups" | "identities" | "roles" | "roleBindings";

/** What was written to a platform, and what a plan that wrote the same has recorded. */
export interface RandomWrites {
  readonly writes: readonly PlatformWrite[];
  /** The placeholders of the plan, by the uids of what was created. */
  readonly placeholders: ReadonlyMap<string, string>;
  /** The identities that existed before, exist afterwards, and are assumed with other claims, by uid. */
  readonly changedIdentities: readonly string[];
}

/**
 * Makes random writes to one of two equal platforms, and the same to an overlay of the other one, which stays as it is. The world
 * has them afterwards.
 */
export class RandomWriter {
  readonly #random: Random;
  readonly #world: World;
  readonly #platform: InProcess;
  readonly #overlay: OverlayPlatform;
  readonly #placeholders = new Map<string, string>();
  readonly #changed = new Set<string>();

  constructor(random: Random, world: World, { before, after }: Readonly<Record<"before" | "after", InProcess>>) {
    this.#random = random;
    this.#world = world;
    this.#platform = after;
    const reads = inProcessApi(before, { kind: "admin" });
    const proven = new ProvenReads({ reads, caller: "administrator", collections, roots: [], signal });
    this.#overlay = new OverlayPlatform({ reads: proven, collections, now: () => 0 });
  }

  async make(count: number): Promise<RandomWrites> {
    for (let made = 0; made < count; made += 1) await this.#write();
    const exists = new Set(this.#world.identities.map(({ uid }) => uid));
    const changedIdentities = [...this.#changed].filter((uid) => exists.has(uid) && !this.#placeholders.has(uid));
    return {
      writes: this.#overlay.takeWrites(),
      placeholders: this.#placeholders,
      changedIdentities: changedIdentities.toSorted(),
    };
  }

  async #write(): Promise<void> {
    const [random, world] = [this.#random, this.#world];
    const parent = random.pick(world.groups);
    switch (random.below(8)) {
      case 0:
        world.groups.push(await this.#create("groups", parent, {}, { name: "new" }));
        return;
      case 1: {
        const claimMatch = { issuer: "https://issuer.example.com", subject: "new" };
        const identity = await this.#create("identities", parent, {}, { name: "new", claimMatch });
        world.identities.push({ ...identity, expired: false });
        return;
      }
      case 2: {
        const capabilities = randomCapabilities(random);
        const body = { name: "new", capabilities: capabilities.map(nameOf) };
        world.roles.push({ ...(await this.#create("roles", parent, { capabilities }, body)), capabilities });
        return;
      }
      case 3: {
        const role = random.pick(world.roles.filter((one) => one.parent !== undefined));
        role.capabilities = randomCapabilities(random);
        await this.#update(
          "roles",
          role,
          { capabilities: role.capabilities },
          { capabilities: role.capabilities.map(nameOf) },
        );
        return;
      }
      case 4: {
        const identity = random.pick(world.identities);
        const claimMatch = { issuer: "https://issuer.example.com", subject: "changed" };
        this.#changed.add(identity.uid);
        await this.#update("identities", identity, { assumption: true }, { claimMatch });
        return;
      }
      case 5:
        await this.#delete(random.oneIn(3) ? "identities" : "roleBindings");
        return;
      default: {
        const [identity, role] = [random.pick(world.identities), random.pick(rolesFor(world, parent))];
        const body = { identityUid: this.#plannedUid(identity), roleUid: this.#plannedUid(role) };
        world.roleBindings.push({
          ...(await this.#create("roleBindings", parent, { identity, role }, body)),
          identity,
          role,
        });
      }
    }
  }

  async #create(
    kind: CollectionName,
    parent: Place,
    content: Extract<Call, { verb: "create" }>["content"],
    body: Readonly<Record<string, unknown>>,
  ): Promise<Place> {
    const { uid } = (await this.#platform.perform({ verb: "create", kind, parent, content })) as unknown as Place;
    const { uid: planned } = await this.#overlay.create(collectionOf(kind), this.#plannedUid(parent), body);
    this.#placeholders.set(uid, planned);
    return { uid, parent };
  }

  async #update(
    kind: CollectionName,
    target: Place,
    content: Extract<Call, { verb: "update" }>["content"],
    body: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await this.#platform.perform({ verb: "update", kind, target, content });
    await this.#overlay.update(collectionOf(kind), this.#plannedUid(target), body, Object.keys(body));
  }

  async #delete(kind: "identities" | "roleBindings"): Promise<void> {
    const [random, world] = [this.#random, this.#world];
    const target = random.pick<Place>(world[kind]);
    await this.#platform.perform({ verb: "delete", kind, target });
    await this.#overlay.delete(collectionOf(kind), this.#plannedUid(target));
    world[kind].splice(world[kind].indexOf(target as never), 1);
    const left = world.roleBindings.filter(({ identity }) => identity.uid !== target.uid);
    world.roleBindings.splice(0, Infinity, ...left);
  }

  #plannedUid({ uid }: Place): string {
    return this.#placeholders.get(uid) ?? uid;
  }
}

function collectionOf(name: string): ManagedCollection {
  const collection = collections.find((one) => one.name === name);
  if (collection === undefined) throw new Error(`there is no collection ${name}`);
  return collection;
}
