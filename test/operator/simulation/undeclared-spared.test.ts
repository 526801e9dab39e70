import { describe, expect, it } from "vitest";
import { defaultKinds } from "#src/api/tenant.ts";
import { listIdentityProviders } from "#src/platform-client/identity-providers.ts";
import { auditor, operatorIdentity, owner, root } from "./memory-platform.ts";
import { ci, denied, markedFor, policy, startWorld, type UndeclaredOptions } from "./undeclared-world.ts";

const provider = "https://login.example";

describe("Remove", () => {
  it.each<[string, UndeclaredOptions]>([
    ["the Tenant says Report", { boundary: { undeclared: "Report" } }],
    ["the identity is in breakGlass", { breakGlass: [auditor] }],
  ])("spares it where %s", async (_, options) => {
    const { grant, existing, resync, access } = await startWorld("Remove", options);
    const uid = grant(auditor);
    await resync(4);
    expect(existing(uid)).toEqual([uid]);
    expect(access()?.message).toContain("Not removed: 1 (");
  });

  it("spares people, in the group of their provider and below, and removes what is next to them", async () => {
    const { platform, grant, stranger, existing, resync } = await startWorld("Remove");
    platform.set("identityProviders", { uid: `${root}/00000000000000fe`, oidc: { issuer: `${provider}/` } });
    const people = [
      stranger({ claimMatch: { issuer: provider, subject: "ana" } }),
      stranger({ claimMatch: { issuerPattern: "https://.*", subject: "ben" } }),
    ];
    const grants = people.map((uid) => grant(uid));
    const machine = grant(stranger());
    await resync(4);
    expect(existing(...people, ...grants, machine)).toEqual([...people, ...grants]);
  });

  it("only reports where the identity providers cannot be listed", async () => {
    const boundary = { kinds: defaultKinds };
    const { platform, grant, existing, resync, access, identity } = await startWorld("Remove", { boundary });
    const capabilities = platform.listCapabilities.filter((one) => one !== listIdentityProviders);
    platform.set("roles", { uid: owner, name: "owner", capabilities });
    const uid = grant(identity);
    await resync(4);
    expect(existing(uid)).toEqual([uid]);
    expect(access()?.message).toContain("identity providers");
  });

  it("only reports where an identity of another owner is present", async () => {
    const { grant, stranger, existing, resync, access, identity } = await startWorld("Remove");
    const theirs = stranger({ description: markedFor("ci", "another cluster") });
    const uid = grant(identity);
    await resync(4);
    expect(existing(uid, theirs)).toEqual([uid, theirs]);
    expect(access()?.message).toContain("another Muster installation");
  });

  it("spares credentials, orphans, what objects name in any state, and child groups", async () => {
    const { kube, child, grant, stranger, existing, resync } = await startWorld("Remove");
    const orphan = stranger({ description: markedFor("gone") });
    const named = stranger();
    const group = child("child");
    const grants = [grant(operatorIdentity), grant(orphan), grant(auditor)];
    kube.apply(denied("denied", auditor));
    kube.apply(denied("denied-too", named));
    await resync(4);
    expect(existing(orphan, named, group, ...grants)).toHaveLength(6);
  });

  it("removes nothing in a group that only a uid names", async () => {
    const { kube, child, grant, existing, resync, share, identity } = await startWorld("Remove");
    const team = child("team");
    const { claimMatch } = ci.spec as unknown as { readonly claimMatch: object };
    kube.apply({ ...ci, name: "guest", spec: { groupUid: team, claimMatch, policy } });
    const uid = grant(identity, owner, team);
    await resync(4);
    expect(existing(uid)).toEqual([uid]);
    expect(share()?.uids).toContain(uid);
  });
});
