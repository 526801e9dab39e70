import { describe, expect, it } from "vitest";
import { accessModel, changedModel } from "./access-model.ts";
import type { AccessState, LoginGrant } from "./access-state.ts";
import { accessState, custom, now, root, segment, shop, web } from "./access-state.testing.ts";
import { loginGrantChanges } from "./login-grant-changes.ts";
import { loginGrantsFor, loginGrantsOn, openLoginGrants, unreadLoginGrants } from "./login-grants.ts";

const editor = { uid: "b".repeat(40), name: "editor" };
const caller = `${root}/${segment("c")}`;
const issuer = "https://people.example.com";

const provider = (group: string, changes: Partial<LoginGrant> = {}): LoginGrant =>
  ({
    uid: `${group}/${segment("5")}`,
    through: "identityProvider",
    role: editor,
    name: "people",
    issuer,
    clientId: "muster",
    ...changes,
  }) as LoginGrant;
const invite = (group: string, changes: Partial<LoginGrant> = {}): LoginGrant =>
  ({
    uid: `${group}/${segment("6")}`,
    through: "groupInvite",
    role: editor,
    keyId: "1",
    email: "",
    singleUse: false,
    ...changes,
  }) as LoginGrant;
const model = (changes: Partial<AccessState>) =>
  accessModel(
    accessState({
      roles: [{ ...editor, capabilities: new Set(["CAP_REPO_CREATE", "CAP_IAM_IDENTITY_PROVIDERS_LIST"]) }],
      ...changes,
    }),
  );
const on = (loginGrants: readonly LoginGrant[], capability = "CAP_REPO_CREATE") =>
  loginGrantsOn(model({ loginGrants }), capability, shop, now);

describe("a login grant", () => {
  it("applies in its group and below, if its role has the capability or cannot be read", () => {
    expect(on([provider(root)])).toHaveLength(1);
    expect(on([provider(web)])).toEqual([]);
    expect(on([provider(root)], "CAP_REPO_DELETE")).toEqual([]);
    expect(on([provider(root, { role: custom })])).toHaveLength(1);
  });

  it("of an invite ends when it expires", () => {
    const expires = (offset: number) => invite(root, { expirationTime: new Date(now + offset).toISOString() });
    expect(openLoginGrants(model({ loginGrants: [expires(0)] }), now)).toEqual([]);
    expect(openLoginGrants(model({ loginGrants: [expires(1)] }), now)).toHaveLength(1);
  });

  it("is for those who can assume an identity if the provider is of its issuer, or if that is unknown", () => {
    const loginGrants = [provider(shop), invite(web), invite(root), provider(web, { issuer: "https://other" })];
    const identity = (conditions: readonly { name: string; value: string }[]) => ({
      loginGrants,
      identities: [{ uid: caller, name: "ann", assumedBy: { method: "claimMatch" as const, conditions } }],
    });
    const found = (changes: Partial<AccessState>) => loginGrantsFor(model(changes), caller, now);
    expect(found(identity([{ name: "issuer", value: issuer }]))).toEqual([loginGrants[0], loginGrants[1]]);
    expect(found(identity([{ name: "issuer", value: "https://ci" }]))).toEqual([]);
    expect(found(identity([{ name: "issuerPattern", value: ".*" }]))).toContain(loginGrants[3]);
    expect(found({ loginGrants })).toContain(loginGrants[3]);
  });

  it("is unknown where nothing proves that the caller lists it", () => {
    const bindings = [{ uid: `${shop}/${segment("e")}`, identity: { uid: caller, name: "me" }, role: editor }];
    const seen = { seesEverything: false, bindings, caller: { identity: caller } };
    expect(unreadLoginGrants(model(seen), web, now)).toEqual([
      { what: "identityProviders", groups: [root], below: false },
      { what: "groupInvites", groups: [root, shop, web], below: false },
    ]);
    const limited = { ...seen, caller: { identity: caller, capabilities: ["groups.list"] } };
    expect(unreadLoginGrants(model(limited), shop, now, true)[0]).toEqual({
      what: "identityProviders",
      groups: [root, shop],
      below: true,
    });
    expect(unreadLoginGrants(model({ seesEverything: false }), root, now)).toHaveLength(2);
    expect(unreadLoginGrants(model({}), root, now)).toEqual([]);
  });
});

describe("a change", () => {
  const changes = (from: Partial<AccessState>, to: Partial<AccessState>) => {
    const before = model(from);
    return loginGrantChanges(before, changedModel(before, { ...before.state, ...to }), now).map(
      ({ change, grant }) => `${change} ${grant.role.name}`,
    );
  };

  it("is another role, another issuer, or another capability of the role", () => {
    const loginGrants = [provider(shop)];
    expect(changes({}, { loginGrants })).toEqual(["gains editor"]);
    expect(changes({ loginGrants }, { loginGrants: [] })).toEqual(["loses editor"]);
    expect(changes({ loginGrants }, { loginGrants: [provider(shop, { role: custom })] })).toEqual([
      "gains custom",
      "loses editor",
    ]);
    const roles = [{ ...editor, capabilities: new Set(["CAP_REPO_DELETE"]) }];
    expect(changes({ loginGrants }, { roles })).toEqual(["gains editor", "loses editor"]);
  });

  it("is not a provider that is created again, but a new invite is", () => {
    const again = { uid: `${shop}/${segment("7")}` };
    expect(changes({ loginGrants: [provider(shop)] }, { loginGrants: [provider(shop, again)] })).toEqual([]);
    expect(changes({ loginGrants: [invite(shop)] }, { loginGrants: [invite(shop, again)] })).toHaveLength(2);
  });
});
