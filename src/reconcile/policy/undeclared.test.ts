import { describe, expect, it } from "vitest";
import type { Undeclared } from "#src/api/status.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { Failure, ObservedUndeclared } from "#src/reconcile/observe/observed.ts";
import { attemptOf } from "./attempted.ts";
import { decide } from "./decide.ts";
import {
  anotherUid,
  externalGroup,
  groupResource,
  justRead,
  kindOf,
  notReady,
  observed,
  ready,
  resolved,
  uid,
} from "./observed-fixture.testing.ts";
import type { Step } from "./step.ts";

const grant: Undeclared = {
  kind: "RoleBinding",
  uid: `${uid}/4444444444444444`,
  identityUid: anotherUid,
  role: "owner",
  firstSeenTime: "2026-01-01T00:00:00Z",
};
const numbered = (number: number): Undeclared => ({ ...grant, uid: `${uid}/${String(number).padStart(16, "0")}` });

type Assessed = Extract<ObservedUndeclared, { is: "assessed" }>;
const assessed = (parts: Partial<Assessed> = {}): Assessed => ({
  is: "assessed",
  counts: parts.first === undefined || parts.first.length === 0 ? {} : { RoleBinding: parts.first.length },
  first: [],
  spared: null,
  confirmId: null,
  removal: null,
  ...parts,
});

function decideGroup(undeclared: ObservedUndeclared | null, status = ready): Step {
  const observation = observed({
    resource: groupResource({ status }),
    external: { is: "present", resource: externalGroup(), seenAt: 19_000 },
    undeclared,
  });
  return decide(observation, kindOf(observation)).step;
}

/** The status after the step. */
function statusAfter(step: Step): typeof ready {
  if (step.do !== "writeStatus") throw new Error(`unexpected step ${step.do}`);
  return { ...ready, ...(step.patch as typeof ready) };
}
const accessIn = (status: typeof ready) => status.conditions?.find(({ type }) => type === "AccessDeclared");
const eventOf = (step: Step) => (step.do === "writeStatus" ? step.events?.[0] : undefined);

describe("the status of a group", () => {
  it("is not written before the group was assessed", () => {
    expect(decideGroup(null)).toEqual({ do: "done" });
  });

  it("says that everything is declared, and stays as it is while it is not assessed", () => {
    const status = statusAfter(decideGroup(assessed()));
    expect(accessIn(status)).toMatchObject({ status: "True", reason: "Available", observedGeneration: 1 });
    expect(decideGroup(assessed(), status)).toEqual({ do: "done" });
    expect(decideGroup(null, status)).toEqual({ do: "done" });
  });

  it("names what is not declared, with an event, once", () => {
    const step = decideGroup(assessed({ first: [grant] }));
    const status = statusAfter(step);
    expect(accessIn(status)).toMatchObject({ status: "False", reason: "UndeclaredAccess" });
    expect(status.undeclared).toEqual([grant]);
    expect(eventOf(step)).toMatchObject({ type: "Warning", reason: "UndeclaredAccess" });
    expect(eventOf(step)?.note).toContain(`the role owner to identity ${anotherUid}`);
    expect(decideGroup(assessed({ first: [grant] }), status)).toEqual({ do: "done" });
  });

  it("has an event for one more, but none for one less, nor for what follows in a full list", () => {
    const two = [grant, numbered(1)];
    const one = statusAfter(decideGroup(assessed({ first: [grant] })));
    expect(eventOf(decideGroup(assessed({ first: two }), one))?.note).toContain(numbered(1).uid);
    const both = statusAfter(decideGroup(assessed({ first: two }), one));
    expect(eventOf(decideGroup(assessed({ first: [grant] }), both))).toBeUndefined();
    const ten = Array.from({ length: 10 }, (_, number) => numbered(number));
    const full = statusAfter(decideGroup(assessed({ first: ten, counts: { RoleBinding: 11 } })));
    const next = [...ten.slice(1), numbered(10)];
    expect(eventOf(decideGroup(assessed({ first: next }), full))).toBeUndefined();
  });

  it("has an event in addition to that of the transition that the same write reports", () => {
    const observation = observed({
      resource: groupResource({ status: notReady("PlatformUnavailable", { uid }) }),
      external: { is: "present", resource: externalGroup(), seenAt: 19_000 },
      undeclared: assessed({ first: [grant] }),
    });
    expect(decide(observation, kindOf(observation)).step).toMatchObject({
      do: "writeStatus",
      events: [
        { type: "Normal", reason: "Recovered" },
        { type: "Warning", reason: "UndeclaredAccess" },
      ],
    });
  });

  it("is silent where nothing is to be reported", () => {
    const status = statusAfter(decideGroup(assessed({ first: [grant] })));
    const step = decideGroup({ is: "unreported" }, status);
    expect(step).toMatchObject({ patch: { undeclared: null } });
    expect(accessIn(statusAfter(step))).toBeUndefined();
  });

  it("says why nothing is removed, and how to confirm it", () => {
    const status = statusAfter(
      decideGroup(assessed({ first: [grant], spared: { held: 25, person: 1 }, confirmId: "abcd" })),
    );
    expect(accessIn(status)?.message).toMatch(
      /Not removed: 25 \(too many at once\); 1 \(of people \(.*administrator.*confirm.*abcd/,
    );
  });
});

describe("removal", () => {
  it("is one step, with an event", () => {
    expect(
      decideGroup(assessed({ first: [grant], removal: { is: "due", resource: grant, readAt: justRead } })),
    ).toMatchObject({
      do: "removeUndeclared",
      kind: "RoleBinding",
      uid: grant.uid,
      event: { reason: "Deleted" },
    });
  });

  it.each([4_999, null])("reads the resource first if that is not known well enough: %s", (readAt) => {
    const removal = { is: "due", resource: grant, readAt } as const;
    expect(decideGroup(assessed({ first: [grant], removal }))).toEqual({
      do: "read",
      kind: "RoleBinding",
      uid: grant.uid,
      startedAfter: 5_000,
    });
  });

  it.each(["removeUndeclared", "read"] as const)("reads nothing while a %s that failed waits", (failed) => {
    const observation = observed({
      resource: groupResource({ status: ready }),
      external: { is: "present", resource: externalGroup(), seenAt: 19_000 },
      undeclared: assessed({ first: [grant], removal: { is: "due", resource: grant, readAt: null } }),
    });
    const failure: Failure = {
      step: failed,
      problem: { kind: "paused", retryAfterMs: 0 },
      attemptOf: attemptOf(observation),
      attempts: 1,
      at: 19_000,
      retryAt: 21_000,
    };
    const resource = groupResource({ status: statusAfter(decideGroup(assessed({ first: [grant] }))) });
    const waiting = { ...observation, resource, state: { ...observation.state, failure } };
    expect(decide(waiting, kindOf(waiting)).step).toEqual({ do: "done", recheckAt: 21_000 });
  });

  it("lets other objects go first after some", () => {
    const step = decideGroup(assessed({ first: [grant], removal: { is: "later", until: 20_100 } }));
    expect(step).toEqual({ do: "wait", until: 20_100 });
  });

  it("comes after the group itself is as the spec says", () => {
    const observation = observed({
      resource: groupResource({ status: ready, spec: { description: "Money" } }),
      references: resolved({ name: "paid" }),
      external: { is: "present", resource: externalGroup(), seenAt: 19_000 },
      undeclared: assessed({ first: [grant], removal: { is: "due", resource: grant, readAt: justRead } }),
    });
    expect(decide(observation, kindOf(observation)).step.do).toBe("update");
  });
});

it.each(kinds)("calls what nobody declared by the noun of its kind: $name", ({ name, noun }) => {
  const after = statusAfter(decideGroup(assessed({ counts: { [name]: 1 } })));
  expect(accessIn(after)?.message).toContain(noun);
});

it("says what an invite grants that nobody declared, and to whom", () => {
  const { identityUid: _, ...others } = grant;
  const invite: Undeclared = { ...others, kind: "GroupInvite" };
  const event = eventOf(decideGroup(assessed({ counts: { GroupInvite: 1 }, first: [invite] })));
  expect(event?.note).toContain(`group invite ${invite.uid}, which grants the role owner to whoever has its code`);
});
