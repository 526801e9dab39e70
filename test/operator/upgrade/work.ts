import type { Random } from "#test/platform/fuzz/random.ts";
import { available, type Declared } from "./declarations.ts";
import type { World } from "./world.ts";

/** What people do at one time. */
export interface Work {
  readonly declared: readonly Declared[];
  readonly deleted: readonly Declared[];
  readonly edits: number;
}

/** The work of one turn. */
export interface WorkPlan {
  /** While no operator leads, or while it is ended. */
  readonly inGap: Work;
  readonly whileLeading: Work;
}

/** The work of one turn: a set is created and another one deleted, each in two parts. */
export function planWork(created: readonly Declared[], deleted: readonly Declared[]): WorkPlan {
  return {
    inGap: { declared: created.filter(isCreatedEarly), deleted: deleted.filter(isDeletedEarly), edits: 10 },
    whileLeading: {
      declared: created.filter((one) => !isCreatedEarly(one)),
      deleted: deleted.filter((one) => !isDeletedEarly(one)),
      edits: 10,
    },
  };
}

/**
 * An invite whose operator is killed before it has handed over the code stays without an object, as documented. An observed object
 * that the policy gave the finalizer while no operator led stalls in the builds up to 93340749.
 */
function isCreatedEarly({ object }: Declared): boolean {
  const isObserved = object["spec"].policy?.management === "Observe";
  return !isObserved && !["GroupInvite", "IdentityProvider", "AccountAssociation"].includes(object.kind);
}

/** What nothing else waits for. */
function isDeletedEarly({ object, hasResource }: Declared): boolean {
  return !hasResource || object.kind === "RoleBinding";
}

/** Does the work: declarations, edits and deletions at the same time. */
export async function doWork(world: World, random: Random, { declared, deleted, edits }: Work): Promise<void> {
  const leaving = new Set([...declared, ...deleted].map(({ object }) => object));
  const others = random.shuffled([...world.declared.values()].filter(({ object }) => !leaving.has(object)));
  const toggled = others.filter(({ object }) => isIndependent(object.metadata.name));
  const resumed = toggled.filter(({ expected }) => expected === "Paused").slice(0, 1);
  const paused = toggled.filter(({ expected }) => expected === available).slice(0, 1);
  const edited = others.filter((one) => isEditable(one) && !paused.includes(one)).slice(0, edits);
  const providers = others.filter((one) => one.object.kind === "IdentityProvider" && !edited.includes(one)).slice(0, 1);
  await Promise.all([
    world.declare(declared),
    world.delete(deleted),
    ...edited.map((one) => world.edit(one)),
    ...resumed.map((one) => world.setPaused(one, false)),
    ...paused.map((one) => world.setPaused(one, true)),
    ...providers.map((one) => world.replaceClientSecret(one)),
  ]);
}

/** What an invite says is immutable, and an edit of an observed object does not reach the platform. */
function isEditable({ object, expected }: Declared): boolean {
  const isObserved = object["spec"].policy?.management === "Observe";
  return expected === available && object.kind !== "GroupInvite" && !isObserved;
}

/** Nothing waits for the role binding, and none is equal to it. */
const isIndependent = (name: string) => name.endsWith("-edits");
