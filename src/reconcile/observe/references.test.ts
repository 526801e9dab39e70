import { describe, expect, it } from "vitest";
import { identityResource, otherRoot, parent } from "#src/reconcile/policy/observed-fixture.testing.ts";
import {
  binding,
  bindingOf,
  custom,
  owner,
  identityUid,
  recorded,
  resolverAmong,
  role,
  viewer,
} from "./references-world.testing.ts";

describe("the role of a role binding", () => {
  const resolve = resolverAmong([]);

  it("is a part of what identifies the role binding", () => {
    const naturalKey = `${parent} ${identityUid} ${viewer.uid}`;
    expect(resolve(binding())).toMatchObject({ are: "resolved", naturalKey });
  });

  it("can be a built-in role by its name", () => {
    expect(resolve(binding({ roleRef: { name: "viewer" } }))).toMatchObject({ uids: { role: viewer.uid } });
  });

  it("is waited for if it does not exist", () => {
    expect(resolve(binding({ roleRef: { name: "none" } }))).toMatchObject({
      are: "waiting",
      reason: "ReferenceNotFound",
      message: expect.stringContaining("delete this object and create it with one of viewer"),
    });
  });

  it("is not resolved before the roles have been read", () => {
    expect(resolve(binding(), { roles: undefined })).toEqual({ are: "unread" });
  });
});

describe("the Role object of a role binding", () => {
  const foreignRole = `${otherRoot}/5555555555555555`;
  const ofOthers = (spec: object) => ({
    metadata: { namespace: "others" },
    spec: { groupUid: otherRoot, ...spec },
    status: recorded(foreignRole),
  });
  const resolve = resolverAmong([
    role("scanner", { status: recorded(custom) }),
    role("edited", { status: recorded(custom), metadata: { generation: 2 } }),
    role("drifting", { status: recorded(custom, "DriftDetected") }),
    role("granted", ofOthers({ allowedNamespaces: ["team"] })),
    role("secret", ofOthers({})),
  ]);
  const binds = (name: string, namespace?: string) =>
    binding({ roleRef: { kind: "Role", name, ...(namespace === undefined ? {} : { namespace }) } });
  const has = (...capabilities: readonly string[]) => ({ capabilitiesOf: () => capabilities });

  it.each([
    ["says how to name the built-in role with that name", "viewer", true],
    ["is silent about a built-in role that the Tenant does not list", "owner", false],
    ["is silent where there is none", "reader", false],
  ])("that does not exist %s", (_, name, isMeant) => {
    const fix = "If you mean the built-in role viewer, create it with only spec.roleRef.name, without kind.";
    const found = resolve(binds(name));
    expect(found).toMatchObject({ are: "waiting", reason: "ReferenceNotFound" });
    expect("message" in found && found.message.endsWith(`with the right one: the field is immutable. ${fix}`)).toBe(
      isMeant,
    );
  });

  it("may be unlisted while what it has on the platform is permitted", () => {
    expect(resolve(binds("scanner"), has("CAP_REPO_LIST"))).toMatchObject({ are: "resolved", uids: { role: custom } });
    expect(resolve(binds("scanner"), has("CAP_REPO_LIST", "CAP_REPO_DELETE"))).toMatchObject({
      are: "denied",
      message: expect.stringContaining("spec.roleRef: Tenant all does not allow CAP_REPO_DELETE"),
    });
    expect(resolve(binds("scanner"), { roles: undefined })).toEqual({ are: "unread" });
  });

  it.each([
    ["of the same Tenant", custom],
    ["that another Tenant grants", foreignRole],
  ])("%s is bound by its uid as by its name", (_, uid) => {
    expect(resolve(bindingOf(uid), has("CAP_REPO_LIST"))).toMatchObject({ are: "resolved", uids: { role: uid } });
    expect(resolve(bindingOf(uid), has("CAP_REPO_DELETE"))).toMatchObject({
      are: "denied",
      message: expect.stringContaining("spec.roleUid: Tenant all does not allow CAP_REPO_DELETE"),
    });
    expect(resolve(bindingOf(uid), { roles: undefined })).toEqual({ are: "unread" });
  });

  it("is not bound by a uid that no object has, or one that another Tenant does not grant", () => {
    const unshared = resolverAmong([role("secret", ofOthers({}))]);
    for (const uid of [custom, foreignRole])
      expect(unshared(bindingOf(uid), has("CAP_REPO_LIST"))).toMatchObject({ are: "denied" });
  });

  it("is never a built-in role, whatever uid its status claims", () => {
    const forging = resolverAmong([role("forged", { status: { ...recorded(owner.uid), parentUid: parent } })]);
    expect(forging(bindingOf(owner.uid))).toMatchObject({
      are: "denied",
      message: expect.stringContaining("does not allow the role owner"),
    });
  });

  it("is not bound for the first time while it is not Ready", () => {
    expect(resolve(binds("drifting"), has("CAP_REPO_LIST"))).toMatchObject({ reason: "ReferenceNotReady" });
    expect(resolve(binds("edited"), has("CAP_REPO_LIST"))).toMatchObject({ reason: "ReferenceNotReady" });
  });

  it("of another Tenant is bound only if it is granted, and then within the limits of this Tenant", () => {
    expect(resolve(binds("secret", "others"), has("CAP_REPO_LIST"))).toMatchObject({ reason: "ReferenceNotGranted" });
    expect(resolve(binds("granted", "others"), has("CAP_REPO_LIST"))).toMatchObject({ uids: { role: foreignRole } });
    expect(resolve(binds("granted", "others"), has("CAP_REPO_DELETE"))).toMatchObject({ are: "denied" });
  });

  it("is not what the name of a built-in role means", () => {
    expect(resolve(binding({ roleRef: { name: "scanner" } }))).toMatchObject({ reason: "ReferenceNotFound" });
    expect(resolve(binds("viewer"))).toMatchObject({ reason: "ReferenceNotFound" });
  });
});

it("takes the issuer of the cluster and the namespace of the object for a service account", () => {
  const identity = identityResource({ spec: { serviceAccountRef: { name: "ci" } } });
  expect(resolverAmong([])(identity)).toMatchObject({
    desired: { claimMatch: { issuer: "https://issuer.example", subject: "system:serviceaccount:team:ci" } },
  });
});
