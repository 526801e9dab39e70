import type { Capability } from "#src/platform/authorization/capability.ts";
import type { Random } from "./random.testing.ts";
import {
  type ChangeableKind,
  childOf,
  type Kind,
  type Place,
  randomCapabilities,
  rolesFor,
  type World,
} from "./world.testing.ts";

/** The fields of a created or changed resource that matter for access. */
export interface Content {
  readonly identity?: Place;
  readonly role?: Place;
  readonly capabilities?: readonly Capability[];
  /** Only for identities: the call changes how the identity is assumed. */
  readonly assumption?: true;
  readonly name?: string;
}

export interface Filter {
  readonly descendantsOf?: Place;
  readonly childrenOf?: Place;
  readonly ancestorsOf?: Place;
  readonly inRoot?: true;
  readonly ids?: readonly Place[];
}

/** One call, made to the platform and to the model. */
export type Call =
  | { readonly verb: "list"; readonly kind: Kind; readonly filter: Filter }
  | { readonly verb: "listV1"; readonly kind: V1Kind; readonly filter: Filter; readonly id: Place | undefined }
  | { readonly verb: "get"; readonly kind: Kind; readonly target: Place }
  | { readonly verb: "delete"; readonly kind: ChangeableKind; readonly target: Place }
  | {
      readonly verb: "create";
      readonly kind: ChangeableKind;
      /** Undefined for a root group. */
      readonly parent: Place | undefined;
      readonly content: Content;
    }
  | { readonly verb: "update"; readonly kind: ChangeableKind; readonly target: Place; readonly content: Content };

/** The collections that v1 has too. */
export const v1Kinds = ["groups", "identities", "roles", "roleBindings", "repos"] as const;
export type V1Kind = (typeof v1Kinds)[number];

export const changeableKinds: readonly ChangeableKind[] = [
  "groups",
  "identities",
  "roles",
  "roleBindings",
  "identityProviders",
  "accountAssociations",
  "groupInvites",
  "repos",
  "tags",
];
const kinds: readonly Kind[] = [...changeableKinds, "advisories"];

export function randomCall(random: Random, world: World): Call {
  if (random.oneIn(12)) {
    const kind = random.pick(v1Kinds);
    const id = random.oneIn(4) ? randomTarget(random, world, kind) : undefined;
    return { verb: "listV1", kind, filter: randomFilter(random, world), id };
  }
  const kind = random.pick(kinds);
  const reads = random.below(kind === "tags" ? 4 : 5) < 2;
  if (kind !== "advisories" && !reads) return randomChange(random, world, kind);
  return random.oneIn(2)
    ? { verb: "list", kind, filter: randomFilter(random, world) }
    : { verb: "get", kind, target: randomTarget(random, world, kind) };
}

function randomChange(random: Random, world: World, kind: ChangeableKind): Call {
  switch (random.below(kind === "tags" ? 2 : 3)) {
    case 0:
      return { verb: "delete", kind, target: randomTarget(random, world, kind) };
    case 1: {
      const parent =
        kind === "groups" && random.oneIn(10)
          ? undefined
          : randomTarget(random, world, kind === "tags" ? "repos" : "groups");
      return { verb: "create", kind, parent, content: randomContent(random, world, kind, parent) };
    }
    default: {
      const target = randomTarget(random, world, kind);
      return { verb: "update", kind, target, content: randomContent(random, world, kind, target) };
    }
  }
}

/** Usually a resource of the kind; sometimes one of another kind, or one that does not exist. */
function randomTarget(random: Random, world: World, kind: Kind): Place {
  if (random.oneIn(25)) return childOf(random, random.pick(world.groups));
  const from = world[random.oneIn(25) ? random.pick(kinds) : kind];
  return random.pick(from.length === 0 ? world.groups : from);
}

function randomContent(random: Random, world: World, kind: ChangeableKind, at: Place | undefined): Content {
  const role = () => {
    // Usually a role that can be bound in the group: otherwise, no later check would ever be reached.
    if (at === undefined || random.oneIn(8)) return randomTarget(random, world, "roles");
    return random.pick(rolesFor(world, at));
  };
  switch (kind) {
    case "identities":
      return random.oneIn(2) ? { assumption: true } : {};
    case "roles":
      return { capabilities: randomCapabilities(random) };
    case "roleBindings":
      return { identity: randomTarget(random, world, "identities"), role: role() };
    case "identityProviders":
    case "groupInvites":
      return { role: role() };
    case "tags":
      return { name: random.oneIn(2) || world.tags.length === 0 ? "new" : random.pick(world.tags).name };
    case "groups":
    case "accountAssociations":
    case "repos":
      return {};
  }
}

function randomFilter(random: Random, world: World): Filter {
  const place = () => randomTarget(random, world, random.pick(["groups", "groups", "groups", ...kinds]));
  return {
    ...(random.oneIn(3) ? { descendantsOf: place() } : {}),
    ...(random.oneIn(4) ? { childrenOf: place() } : {}),
    ...(random.oneIn(8) ? { ancestorsOf: place() } : {}),
    ...(random.oneIn(10) ? { inRoot: true } : {}),
    ...(random.oneIn(8) ? { ids: [place(), place(), place()] } : {}),
  };
}
