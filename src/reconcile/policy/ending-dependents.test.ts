import { describe, expect } from "vitest";
import type { Dependent } from "#src/reconcile/observe/observed.ts";
import { reports } from "./decision-cases.testing.ts";
import {
  deletedGroup,
  deletionSeen,
  existing,
  itDecidesDeletion,
  rejectedStep,
  released,
} from "./ending-cases.testing.ts";
import { type ObservedParts, platformError, ready } from "./observed-fixture.testing.ts";

const remaining = (kind: string, name: string, namespace = "team"): Dependent => ({
  kind,
  key: `${namespace}/${name}`,
  has: "recorded",
  deleting: false,
});
const identity = remaining("Identity", "ci");
const deletedBinding = { ...remaining("RoleBinding", "ci-views"), deleting: true };
/** A deleted object that has been waiting for its dependents since `waitingSince`. */
const waits = (waitingSince: number, ...dependents: readonly Dependent[]): ObservedParts => ({
  ...existing,
  dependents,
  state: { ...deletionSeen, waitingSince },
});
const orphan = deletedGroup({ status: ready, spec: { policy: { deletion: "Orphan" } } });

describe("an object with dependents", () => {
  const names = (message: string) => {
    const condition = { type: "Reconciling", reason: "ChildrenExist", message: expect.stringContaining(message) };
    return {
      do: "writeStatus",
      patch: { conditions: expect.arrayContaining([expect.objectContaining(condition)]) },
    };
  };
  itDecidesDeletion([
    {
      name: "waits for them with ChildrenExist and names them",
      given: waits(0, identity, deletedBinding),
      expected: names("Identity ci, RoleBinding ci-views"),
    },
    {
      name: "does not name those in other namespaces",
      given: waits(0, identity, remaining("Identity", "a", "secret"), remaining("Identity", "b", "secret")),
      expected: names(": Identity ci, an Identity in another namespace."),
    },
    {
      name: "does not wait for them while the CustomResourceDefinition is being deleted",
      given: { ...existing, crd: { readAt: 19_000, deleting: true }, dependents: [identity] },
      expected: released,
    },
    {
      name: "does not wait for them under Orphan",
      given: { ...existing, resource: orphan, dependents: [identity] },
      expected: { do: "update" },
    },
    {
      name: "D8: waits under Orphan for one with an unsettled POST, which needs this object to find what it created",
      given: { ...existing, resource: orphan, dependents: [{ ...deletedBinding, has: "unsettled" }] },
      expected: { do: "wait" },
    },
    {
      name: "waits under Orphan for one that may have created what only this object lets it find",
      given: { ...existing, resource: orphan, dependents: [{ ...deletedBinding, has: "unrecorded" }] },
      expected: { do: "wait" },
    },
    {
      name: "lists where one may have created something, once no earlier process can any longer",
      given: {
        ...existing,
        resource: orphan,
        dependents: [{ ...deletedBinding, has: "unrecorded", unlisted: "0a" }],
        settledAt: 17_000,
      },
      expected: { do: "list", kind: "RoleBinding", parent: "0a", startedAfter: 17_000 },
    },
    {
      name: "lists there from the time on when no earlier process can, and not before",
      given: {
        ...existing,
        resource: orphan,
        dependents: [{ ...deletedBinding, has: "unrecorded", unlisted: "0a" }],
        settledAt: 20_000,
      },
      expected: { do: "list", kind: "RoleBinding", parent: "0a", startedAfter: 20_000 },
    },
    {
      name: "waits under Orphan until no earlier process can have created anything any longer",
      given: {
        ...existing,
        resource: orphan,
        dependents: [{ ...deletedBinding, has: "unrecorded", unlisted: "0a" }],
        settledAt: 20_001,
      },
      expected: { do: "wait" },
    },
    {
      name: "waits while it is not known which objects of a kind refer to it",
      given: { ...existing, unreadDependents: ["RoleBinding"], state: { ...deletionSeen, waitingSince: 0 } },
      expected: reports("KubernetesForbidden", "RoleBinding"),
    },
    {
      name: "does not wait for what goes with it",
      given: { ...existing, dependents: [{ ...deletedBinding, has: "unrecorded" }] },
      expected: { do: "delete" },
    },
  ]);
});

describe("the wait for dependents", () => {
  const deletedIdentity = { ...identity, deleting: true };
  itDecidesDeletion([
    {
      name: "is not reported while all of them are being deleted",
      given: { ...waits(0, deletedIdentity), now: 20_000 },
      expected: { do: "wait", until: 60_000 },
    },
    {
      name: "is not reported while deletions keep arriving",
      given: { ...waits(10_000, identity), lastDeletionAt: 19_500, now: 20_000 },
      expected: { do: "wait", until: 21_500 },
    },
    {
      name: "is reported after a minute of deletions",
      given: { ...waits(10_000, identity), lastDeletionAt: 69_900, now: 70_000 },
      expected: { do: "writeStatus" },
    },
    {
      name: "is reported after a minute, even if all of them are being deleted",
      given: { ...waits(0, deletedIdentity), now: 60_000 },
      expected: { do: "writeStatus" },
    },
  ]);
});

describe("a group that the platform does not delete because it is not empty", () => {
  const error = platformError("FAILED_PRECONDITION", {
    preconditionViolations: [{ type: "RESOURCE_NOT_EMPTY", description: "cannot delete group with child repos" }],
  });
  itDecidesDeletion([
    {
      name: "waits, and names what is in it",
      given: {
        ...existing,
        children: ['group "by hand" 0a/1', "role binding 0a/2"],
        state: rejectedStep("delete", error, existing, { ...deletionSeen, waitingSince: 0 }),
      },
      expected: reports("ChildrenExist", 'other resources are in it: group "by hand" 0a/1, role binding 0a/2.', {
        error: expect.objectContaining({ code: "FAILED_PRECONDITION" }),
      }),
    },
  ]);
});
