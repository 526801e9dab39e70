import { describe, expect, it } from "vitest";
import { finalizer } from "#src/api/custom-resource.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import type { PlatformResource } from "#test/support/harness/platform-admin.ts";
import { type Expectation, findViolations } from "./check.ts";
import { available, type Declared } from "./declarations.ts";
import { keyOf } from "./object-watch.ts";
import type { Picture } from "./picture.ts";

const parent = "a".repeat(40);
const uid = `${parent}/${"1".repeat(16)}`;
const otherUid = `${parent}/${"2".repeat(16)}`;
const manifest = musterObject("Group", "red", "shop", { parentUid: parent });
const key = keyOf(manifest);

function group(status: object = {}): KubeObject {
  return {
    ...manifest,
    metadata: { ...manifest.metadata, uid: "u", generation: 1, finalizers: [finalizer] },
    status: {
      observedGeneration: 1,
      uid,
      parentUid: parent,
      management: "Created",
      conditions: [{ type: "Ready", status: "True", reason: available, observedGeneration: 1 }],
      ...status,
    },
  };
}

const resource = (more: object = {}): PlatformResource => ({ uid, name: "shop", description: "", ...more });

function pictureOf(objects: readonly KubeObject[], resources: readonly PlatformResource[]): Picture {
  return {
    objects: new Map(objects.map((object) => [keyOf(object), object])),
    resources: new Map(resources.map((one) => [`groups ${one.uid}`, one])),
    secrets: new Map(),
    orphans: [],
  };
}

const declared: Declared = { object: manifest, expected: available, hasResource: true, needs: [] };
const before = pictureOf([group()], [resource()]);
const expectation: Expectation = {
  declared: new Map([[key, declared]]),
  byHand: new Map(),
  others: new Set(),
  before,
  touched: new Set(),
};

describe("after a turn", () => {
  it("finds nothing where nothing has changed", () => {
    expect(findViolations(before, expectation)).toEqual([]);
  });

  it.each<readonly [what: string, picture: Picture, found: string]>([
    ["an object that is gone", pictureOf([], [resource()]), "the object is gone"],
    ["a resource that is gone", pictureOf([group()], []), "has no resource"],
    ["a second resource", pictureOf([group()], [resource(), resource({ uid: otherUid })]), "is that of no object"],
    [
      "a resource that was created again",
      pictureOf([group({ uid: otherUid })], [resource({ uid: otherUid })]),
      `its uid was ${uid} and is ${otherUid}`,
    ],
    ["a write on the platform", pictureOf([group()], [resource({ updateTime: "later" })]), "its resource was"],
    [
      "a resource that differs from its spec",
      pictureOf([group()], [resource({ name: "other" })]),
      'the name is "other"',
    ],
    ["an object that is not Ready", pictureOf([group({ conditions: [] })], [resource()]), "not as expected: Available"],
    ["an orphan", { ...before, orphans: [otherUid] }, `reports the orphan ${otherUid}`],
  ])("finds %s", (_, picture, found) => {
    expect(findViolations(picture, expectation).join("\n")).toContain(found);
  });

  it("lets an object that somebody touched change, and not its uid without a resource", () => {
    const touched = new Set([key]);
    const edited = pictureOf([group()], [resource({ updateTime: "later" })]);
    expect(findViolations(edited, { ...expectation, touched })).toEqual([]);
    expect(findViolations(pictureOf([group()], []), { ...expectation, touched })).not.toEqual([]);
  });

  it("ignores the names of what a resource refers to", () => {
    const granting = (name: string) => pictureOf([group()], [resource({ role: { uid: otherUid, name } })]);
    const beforeRename = { ...expectation, before: granting("old") };
    expect(findViolations(granting("new"), beforeRename)).toEqual([]);
    const other = pictureOf([group()], [resource({ role: { uid, name: "old" } })]);
    expect(findViolations(other, beforeRename)).not.toEqual([]);
  });

  it("finds a change of what was made by hand, and of what must stay", () => {
    const made = resource({ uid: otherUid, name: "by hand" });
    const byHand = new Map([[`groups ${otherUid}`, made]]);
    const changed = pictureOf([group()], [resource(), { ...made, description: "changed" }]);
    expect(findViolations(changed, { ...expectation, byHand }).join("\n")).toContain("made by hand, was changed");
    const others = new Set([`groups ${otherUid}`]);
    expect(findViolations(before, { ...expectation, others }).join("\n")).toContain("is gone");
  });

  it("finds a deleted object that is still there", () => {
    const deleted = { ...expectation, declared: new Map() };
    expect(findViolations(before, deleted).join("\n")).toContain("was deleted and is there");
  });
});
