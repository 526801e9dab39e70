import { expect, it } from "vitest";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import type { PlatformResource } from "#test/support/harness/platform-admin.ts";
import { emptySecret } from "#test/support/harness/secret-objects.ts";
import type { CallEnd } from "#test/support/harness/fault-proxy.ts";
import { findInviteViolations } from "./invites.ts";
import { Journal } from "./journal.ts";
import type { Picture } from "./picture.ts";

const now = Date.now();
const own = invite("root/group/own", "key-of-own", now - 600_000);
const lost = invite("root/group/lost", "key-of-lost", now);
const group = ready(musterObject("Group", "team", "shop", {}), { uid: "root/group" });
const ignoring = ready(musterObject("Group", "team", "shop", { undeclared: "Ignore" }), { uid: "root/group" });
const object = ready(musterObject("GroupInvite", "team", "ada", {}), { uid: own.uid, parentUid: "root/group" });

function permitted(): Journal {
  const journal = new Journal();
  journal.permit({ namespace: "team", name: "ada" });
  return journal;
}

function invite(uid: string, keyId: string, createdAt: number): PlatformResource {
  const createTime = new Date(createdAt).toISOString();
  return { uid, keyId, createTime, email: "ada@example.com", name: "", description: "" };
}

function ready(one: KubeObject, status: object): KubeObject {
  const conditions = [{ type: "Ready", status: "True", observedGeneration: 1 }];
  return { ...one, metadata: { ...one.metadata, generation: 1 }, status: { ...status, conditions } };
}

function secretWith(code: string, uid: string): KubeObject {
  const secret = emptySecret("team", "ada");
  const data = { code: Buffer.from(code).toString("base64"), uid: Buffer.from(uid).toString("base64") };
  return { ...secret, metadata: { ...secret.metadata, uid: "secret-1" }, data };
}

function picture(groupInvites: readonly PlatformResource[], secret: KubeObject, shop = group): Picture {
  const resources = { groupInvites } as Picture["resources"];
  const others = {
    clientSecrets: new Map(),
    teams: new Map(),
    reportedOrphans: new Set<string>(),
    ownerId: "",
    undeclaredInvites: 0,
  };
  return { objects: [object, shop], secrets: [secret], resources, ...others };
}

const good = secretWith("key-of-own.1", own.uid);

it("finds nothing where the Secret has the code of the invite of the object", () => {
  expect(findInviteViolations(permitted(), picture([own], good))).toEqual({
    violations: [],
    reported: [],
    compared: { codes: 1 },
  });
});

it("finds the code of another invite, also beside the right uid", () => {
  for (const secret of [secretWith("key-of-lost.1", lost.uid), secretWith("key-of-lost.1", own.uid)])
    expect(findInviteViolations(permitted(), picture([own], secret)).violations).toEqual([
      expect.stringMatching(/^U: the Secret of/),
    ]);
});

it("finds a code that replaced another one", () => {
  const journal = permitted();
  findInviteViolations(journal, picture([own], good));
  const replaced = secretWith("key-of-own.2", own.uid);
  expect(findInviteViolations(journal, picture([own], replaced)).violations).toEqual([
    expect.stringMatching(/was replaced$/),
  ]);
});

it("finds a second invite, unless something was disturbed and the Group reports it", () => {
  const both = picture([own, lost], good);
  expect(findInviteViolations(permitted(), both).violations).toEqual([expect.stringMatching(/nothing went wrong/)]);
  const journal = permitted();
  journal.noteDisturbance();
  expect(findInviteViolations(journal, both).violations).toEqual([
    expect.stringMatching(/its Group does not report it/),
  ]);
  const reporting = ready(group, { uid: "root/group", undeclared: [{ uid: lost.uid }] });
  expect(findInviteViolations(journal, picture([own, lost], good, reporting))).toMatchObject({
    violations: [],
    reported: [expect.stringContaining(lost.uid)],
  });
});

it("finds an invite that the metric does not count, if its Group ignores what nobody declares", () => {
  const journal = permitted();
  journal.noteDisturbance();
  const found = (undeclaredInvites: number | undefined) =>
    findInviteViolations(journal, { ...picture([own, lost], good, ignoring), undeclaredInvites });
  for (const counted of [0, undefined])
    expect(found(counted).violations).toEqual([expect.stringContaining(`the metric counts ${counted} of 1`)]);
  expect(found(1)).toMatchObject({ violations: [], reported: [expect.stringContaining(lost.uid)] });
});

it("expects nobody to report an invite that has expired", () => {
  const journal = permitted();
  journal.noteDisturbance();
  const expired = { ...lost, expirationTime: new Date(now - 1_000).toISOString() };
  expect(findInviteViolations(journal, picture([own, expired], good)).violations).toEqual([]);
});

it("finds a second invite whose response an operator got in time, or whose call created something else", () => {
  const found = (call: object, end: CallEnd) => {
    const journal = permitted();
    journal.noteResponse({ method: "POST", collection: "groupInvites", number: 1, bearer: "", ...call }, end);
    return findInviteViolations(journal, picture([own, lost], good)).violations;
  };
  const nothingWentWrong = [expect.stringMatching(/nothing went wrong/)];
  expect(found({}, { arrivedAt: now, isSent: true })).toEqual(nothingWentWrong);
  expect(found({ collection: "groups" }, { arrivedAt: now, isSent: false })).toEqual(nothingWentWrong);
  expect(found({ method: "GET" }, { arrivedAt: now, isSent: false })).toEqual(nothingWentWrong);
  for (const end of [
    { arrivedAt: now, isSent: false },
    { arrivedAt: now - 1_500, isSent: true },
  ])
    expect(found({}, end)).toEqual([expect.stringMatching(/its Group does not report it/)]);
});
