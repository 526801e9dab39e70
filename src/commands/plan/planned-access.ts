import { type AccessChange, type AccessDifference, accessDifference } from "#src/access/access-difference.ts";
import { type AccessModel, accessModel, changedModel } from "#src/access/access-model.ts";
import type { AccessState, KnownBinding } from "#src/access/access-state.ts";
import { dottedCapability } from "#src/access/capability-name.ts";
import type { AssumptionChange } from "#src/access/assumption-change.ts";
import {
  AccessView,
  dottedNames,
  type GroupView,
  type IdentityView,
  type LinkView,
  type UnreadView,
} from "#src/commands/access/access-view.ts";
import { type LoginGrantView, loginGrantView } from "#src/commands/access/login-grant-view.ts";
import type { Declarations } from "#src/commands/access/declarations.ts";
import type { Plan } from "#src/plan/plan.ts";
import type { PlatformWrite } from "#src/plan/overlay-platform.ts";
import { comparedCollections, stateAfter, unlistedResources } from "./state-after.ts";

/** What a plan makes of what everybody may do. */
export interface PlannedAccess {
  /** False if there may be other changes, or fewer: `unknown` says why. */
  readonly complete: boolean;
  readonly changes: readonly PlannedAccessChange[];
  readonly assumptions: readonly PlannedAssumptionChange[];
  readonly loginGrants: readonly PlannedLoginGrant[];
  readonly unknown: readonly PlannedUnknown[];
}

/** What an identity has after the plan and does not have before, or the reverse. */
export interface PlannedAccessChange {
  readonly change: AccessChange["change"];
  /** False if something that cannot be read may grant the capabilities both before and after: `unknown` says what. */
  readonly certain: boolean;
  readonly identity: IdentityView;
  /** The change applies in this group, and in every group below it. */
  readonly group: GroupView;
  /** But not in these groups below it, and in those below them. */
  readonly except: readonly GroupView[];
  /** By their dotted names. Absent if the role of `through` cannot be read. */
  readonly capabilities?: readonly string[];
  readonly through: readonly LinkView[];
  readonly unknown: readonly UnreadView[];
}

/** What people get after the plan when they log in, and did not get before, or the reverse. */
export interface PlannedLoginGrant extends LoginGrantView {
  readonly change: AccessChange["change"];
}

/** An identity that others can assume after the plan. */
export interface PlannedAssumptionChange {
  /** As it is after the plan. */
  readonly identity: IdentityView;
  readonly before: AssumableIdentity;
  readonly after: AssumableIdentity;
}

/** Who can assume an identity, and what they may do as it. */
export interface AssumableIdentity extends Required<Pick<IdentityView, "assumedBy">> {
  readonly grants: readonly (LinkView & { readonly capabilities?: readonly string[] })[];
}

export interface PlannedUnknown {
  readonly what: UnreadView["what"] | "roleBindingsElsewhere" | "notCompared" | "notListed" | "notPlanned";
  /** What is unknown, why, and what would have to be granted. */
  readonly message: string;
}

export interface PlannedAccessOptions {
  readonly writes: readonly PlatformWrite[];
  /** Where the plan may lack writes. */
  readonly unproven: Plan["unproven"];
  /** What the object of each resource is, before and after the plan. */
  readonly declarations: Declarations;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** @param state what was read of the platform before the writes */
export function plannedAccess(
  state: AccessState,
  { declarations, now, unproven, writes }: PlannedAccessOptions,
): PlannedAccess {
  const before = accessModel(state);
  const after = changedModel(before, stateAfter(state, writes));
  const difference = accessDifference(before, after, now);
  const [viewBefore, viewAfter] = [before, after].map((model) => new AccessView(model, declarations)) as [
    AccessView,
    AccessView,
  ];
  const unlisted = unlistedResources(state, writes).map((uid) => ({
    what: "notListed" as const,
    message: meanwhile(uid),
  }));
  const unplanned = unproven.map(({ capability, group }) => ({
    what: "notPlanned" as const,
    message: `you do not have ${dottedCapability(capability)} in ${viewBefore.named(group)}: what would change there is not planned`,
  }));
  const unknown = [...unknownOf(difference, viewAfter, writes), ...unlisted, ...unplanned];
  return {
    complete: unknown.length === 0,
    changes: difference.changes.map((one) => changeView(one, one.change === "gains" ? viewAfter : viewBefore)),
    assumptions: difference.assumptions.map(({ had, has, identity, ...change }: AssumptionChange) => ({
      identity: viewAfter.identity(identity.uid, identity.name),
      before: { assumedBy: change.before, grants: grantsOf(had, before, viewBefore) },
      after: { assumedBy: change.after, grants: grantsOf(has, after, viewAfter) },
    })),
    loginGrants: difference.loginGrants.map(({ change, grant }) => ({
      change,
      ...(change === "gains" ? loginGrantView(viewAfter, grant) : loginGrantView(viewBefore, grant)),
    })),
    unknown,
  };
}

function changeView(
  { capabilities, change, except, group, identity, through, unread }: AccessChange,
  view: AccessView,
): PlannedAccessChange {
  return {
    change,
    certain: unread.length === 0,
    identity: view.identity(identity.uid, identity.name),
    group: view.group(group),
    except: except.map((one) => view.group(one)),
    ...(capabilities === undefined ? {} : { capabilities: dottedNames(capabilities) }),
    through: through.map((binding) => view.link(binding)),
    unknown: unread.map((one) => view.unread(one)),
  };
}

function grantsOf(bindings: readonly KnownBinding[], { roles }: AccessModel, view: AccessView) {
  return bindings.map((binding) => {
    const capabilities = roles.get(binding.role.uid)?.capabilities;
    return {
      ...view.link(binding),
      ...(capabilities === undefined ? {} : { capabilities: dottedNames(capabilities) }),
    };
  });
}

/** Everything that is unknown, each once. */
function unknownOf(
  { changes, listedBelow, unread }: AccessDifference,
  view: AccessView,
  writes: readonly PlatformWrite[],
): readonly PlannedUnknown[] {
  const found = [...unread, ...changes.flatMap((change) => change.unread)].map((one) => view.unread(one));
  const messages = new Map(found.map(({ message, what }) => [message, { what, message }]));
  const written = new Set(writes.filter((write) => !changesOnlyTexts(write)).map(({ collection }) => collection));
  const others = [...written].filter((collection) => !comparedCollections.includes(collection));
  return [
    ...messages.values(),
    ...(listedBelow === undefined
      ? []
      : [
          {
            what: "roleBindingsElsewhere" as const,
            message: elsewhere(listedBelow.map((uid) => view.group(uid).path)),
          },
        ]),
    ...others.map((collection) => ({
      what: "notCompared" as const,
      message: `${collection} change: what follows from that is not part of this comparison`,
    })),
  ];
}

/** Nothing follows from a description, which is all that an adoption changes: it writes the marker. */
function changesOnlyTexts({ do: made, fields }: PlatformWrite): boolean {
  return made === "update" && fields.length > 0 && fields.every((field) => field === "description");
}

function meanwhile(uid: string): string {
  return `${uid} was created or deleted while the plan was made, so what it gives is not compared: run the command again`;
}

function elsewhere(read: readonly string[]): string {
  return read.length === 0
    ? "you cannot read role bindings in any group: you need role_bindings.list"
    : `identities that are deleted, or that others can assume, may have role bindings in other groups than ${read.join(", ")} and those below: you need role_bindings.list there`;
}
