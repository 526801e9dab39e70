import { keyOf } from "#src/kube/object.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { wakeAfterDeletion } from "./after-deletion.ts";
import { wakeObjectsOfChanged } from "./changed-resources.ts";
import type { Changes } from "./change.ts";
import { wakeClaimants } from "./claimants.ts";
import { mayReleaseClaim, wakeConflicts } from "./conflicts.ts";
import { wakeAfterGrant, wakeDeniedBy } from "./denied.ts";
import type { Enqueue } from "./enqueue.ts";
import { wakeGoverned } from "./governed.ts";
import { wakeIdentityUsers } from "./identity-users.ts";
import { wakeItself } from "./itself.ts";
import { wakeObjectsOfListedRoles } from "./listed-role-users.ts";
import { wakeReferents } from "./referents.ts";
import { wakeReferrers } from "./referrers.ts";
import { wakeAfterNameReleased } from "./released-name.ts";
import { wakeReportingGroups } from "./reporting-groups.ts";
import { wakeAfterDeclaration, wakeRoleUsers } from "./role-users.ts";
import { wakeForTrial } from "./trial.ts";
import { wakeVouching } from "./vouching.ts";
import { wakeAllWaiting, wakeWaiting } from "./waiting.ts";

/** Whose objects a change wakes. */
export interface Wake<Change> {
  /** The objects, and why. */
  readonly wakes: string;
  readonly find: (sources: Sources, change: Change, enqueue: Enqueue) => void;
}

/**
 * Every cause for which an object is looked at again, and whom it wakes: in this order, which is the order of the queue.
 * README.md names each row beside what it keeps up to date; a test compares them.
 *
 * Our own write of a status is a change of the object, too: it wakes others, and not the object itself, which is being reconciled.
 *
 * Priorities: `high` for a change in Kubernetes and for everything that it wakes, because somebody waits for the result;
 * `low` for objects that a list of a store changed and for which nobody waits, and for what the platform, new permissions,
 * the end of an outage or a Tenant wake.
 */
export const wakeTable: { readonly [Cause in keyof Changes]: Readonly<Record<string, Wake<Changes[Cause]>>> } = {
  object: {
    itself: {
      wakes: "The object itself, unless we wrote it: the reconcile that did observes it.",
      find: wakeItself,
    },
    referrers: {
      wakes:
        "The objects that refer to it, or use its uid because it permits that; those in Conflict over what these wanted.",
      find: wakeReferrers,
    },
    referents: {
      wakes: "If it is gone, or first says what it has: the objects that wait to be deleted after it.",
      find: wakeReferents,
    },
    claimants: {
      wakes: "The objects that claim a uid which it claims now, or claimed.",
      find: wakeClaimants,
    },
    roleDeclared: {
      wakes: "If it began or ceased to manage a role: the objects that wait because their resources hold that role.",
      find: wakeAfterDeclaration,
    },
    roleBindingDeclared: {
      wakes:
        "If it began or ceased to declare a role binding: the objects that wait because of that, and its identity.",
      find: wakeAfterGrant,
    },
    reportingGroups: {
      wakes: "If it took a resource over: the Groups that report that as undeclared.",
      find: wakeReportingGroups,
    },
    vouching: {
      wakes: "If it took an identity over: the objects that wait to be deleted after their people.",
      find: wakeVouching,
    },
    conflicts: {
      wakes: "If it may have released what they want: the objects in Conflict with it.",
      find: (sources, { kind, before, after }, enqueue) => {
        if (before !== undefined && mayReleaseClaim(before, after)) wakeConflicts(sources, kind, [before], enqueue);
      },
    },
  },
  kindRead: {
    allWaiting: {
      wakes: "All objects that wait.",
      find: (sources, _, enqueue) => wakeAllWaiting(sources, enqueue),
    },
  },
  platform: {
    changedResources: {
      wakes: "The objects whose resources changed, and those that bind a role which changed.",
      find: wakeObjectsOfChanged,
    },
    deniedBy: {
      wakes: "The objects that wait because of a role or a role binding which changed.",
      find: (sources, { changed }, enqueue) => wakeDeniedBy(sources, changed, enqueue, { priority: "low" }),
    },
    missing: {
      wakes: "The objects that record a resource which the list lacks.",
      // One of which a breaker holds the re-creation is looked at once for each list, without a call.
      find: (_, { kind, missing }, enqueue) => {
        for (const cached of missing) enqueue(kind.name, keyOf(cached), { priority: "low" });
      },
    },
    waitingForList: {
      wakes: "All objects of the kind that wait: for a name that was released, or for a resource that now exists.",
      find: (sources, { session, kind }, enqueue) => wakeWaiting(sources, session, kind, enqueue),
    },
  },
  nameReleased: {
    conflictsOverName: {
      wakes: "The objects in Conflict over the name.",
      find: wakeAfterNameReleased,
    },
  },
  session: {
    waitingForSession: {
      wakes: "All objects of the session that wait.",
      find: (sources, { session }, enqueue) => {
        for (const kind of sources.kinds) wakeWaiting(sources, session, kind, enqueue);
      },
    },
  },
  trialWanted: {
    trial: {
      wakes: "One object of the session that waits for the end of the outage, so that its write is the trial.",
      find: (sources, { session }, enqueue) => wakeForTrial(sources, session, enqueue),
    },
  },
  listedRoles: {
    listedRoleUsers: {
      wakes: "The objects of the session that declare or bind roles, and all that wait.",
      find: (sources, { session }, enqueue) => wakeObjectsOfListedRoles(sources, session, enqueue),
    },
  },
  tenancy: {
    governed: {
      wakes: "All objects in the namespaces, those that refer to them, and those in Conflict with any of these.",
      find: wakeGoverned,
    },
    identityUsers: {
      wakes:
        "The objects that declare an identity which became a credential or one for emergencies, or ceased to be, or that bind a role to it; and all that wait.",
      find: (sources, { identities }, enqueue) => wakeIdentityUsers(sources, identities, enqueue),
    },
  },
  updated: {
    roleUsers: {
      wakes: "If it is a role: the objects that bind it, and those that wait because their resources hold it.",
      find: (sources, { kind, cached }, enqueue) => wakeRoleUsers(sources, kind, cached, enqueue, {}),
    },
  },
  deleted: {
    otherClaimants: {
      wakes: "The other objects that claim its uid.",
      find: wakeAfterDeletion,
    },
  },
  undeclaredRemoved: {
    deniedByRemoved: {
      wakes: "The objects that wait because of it.",
      find: (sources, { uid }, enqueue) => wakeDeniedBy(sources, [uid], enqueue, {}),
    },
  },
};

/** Wakes the objects whose decisions depend on what changed. */
export function wake<Cause extends keyof Changes>(
  sources: Sources,
  cause: Cause,
  change: Changes[Cause],
  enqueue: Enqueue,
): void {
  for (const { find } of Object.values(wakeTable[cause])) find(sources, change, enqueue);
}
