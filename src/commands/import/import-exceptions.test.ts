import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import type { ImportReport } from "./import-report.ts";
import { ImportingPlatform } from "./importing-platform.testing.ts";

const at = ImportingPlatform.forTests();

describe("what cannot be declared", () => {
  it("is listed with its reason", async () => {
    const { admin, root } = at.world.platform;
    const group = await admin.group(root, "exceptions");
    await admin.ok("POST", `/iam/v2beta1/roles/${group}`, { name: "custom", capabilities: ["CAP_REPO_LIST"] });
    const long = await admin.identity(group, "long");
    await admin.ok("PATCH", `/iam/v2beta1/identities/${long}?updateMask=description`, { description: "x".repeat(500) });
    await admin.bind(group, await admin.identity(root, "outside"), await admin.role("viewer"));
    await admin.bind(root, await admin.identity(group, "powerful"), await admin.role("viewer"));
    const theirs = await admin.group(group, "theirs");
    const marker = markerOf(ownerHash("elsewhere"), objectHash("Group", "a", "b"));
    await admin.ok("PATCH", `/iam/v2beta1/groups/${theirs}?updateMask=description`, {
      description: withMarker("", marker),
    });
    const listed = (exceptions: ImportReport["exceptions"]) =>
      exceptions
        .map(({ outcome, noun, name, reason }) =>
          [noun, name, outcome, reason.replaceAll(/[0-9a-f/]{40,}/g, "UID")].join(" | "),
        )
        .toSorted();
    const owned = ["--owner-id", "prod"];
    expect(listed((await at.world.report(group, owned)).exceptions)).toMatchInlineSnapshot(`
      [
        "identity | long | in part | spec.description: must be at most 477 characters: the platform allows 512, and 35 are reserved for the marker by which Muster finds its own resources",
        "role binding | outside viewer | left out | its identity UID is outside of the group, where the Tenant may not use it",
        "role | custom | in part | spec.capabilities: no built-in role that the Tenant lists has CAP_REPO_LIST",
      ]
    `);
    expect(listed((await at.world.report(group, ["--adopt", ...owned])).exceptions)).toMatchInlineSnapshot(`
      [
        "group | theirs | observed | it carries the marker of another owner",
        "identity | long | observed | spec.description: must be at most 477 characters: the platform allows 512, and 35 are reserved for the marker by which Muster finds its own resources",
        "identity | powerful | observed | it holds the role viewer in UID, which the Tenant may not bind",
        "role binding | outside viewer | left out | its identity UID is outside of the group, where the Tenant may not use it",
        "role | custom | observed | spec.capabilities: no built-in role that the Tenant lists has CAP_REPO_LIST",
      ]
    `);
    const { code, stderr } = await at.world.run(group);
    expect(code).toBe(1);
    expect(stderr).toContain("import has to know which one is yours: set --owner-id");
  });

  it("does not include static keys that expect the platform's own audience", async () => {
    const { admin, root } = at.world.platform;
    const group = await admin.group(root, "keys");
    const { publicKey } = generateKeyPairSync("ed25519");
    const issuerKeys = JSON.stringify({ keys: [publicKey.export({ format: "jwk" })] });
    const staticKeys = { issuer: "https://keys.example", subject: "ci", issuerKeys };
    await admin.ok("POST", `/iam/v2beta1/identities/${group}`, { name: "ci", staticKeys });
    const { code, exceptions } = await at.world.report(group, ["--adopt", "--owner-id", "prod"]);
    expect({ code, exceptions }).toEqual({ code: 0, exceptions: [] });
    const manifest = Object.values(at.world.content()).join("---\n");
    expect(manifest).toContain("issuerKeys:");
    expect(manifest).not.toContain("audiences");
  });

  it("does not hide that a setting names what is not there, such as a mistyped uid", async () => {
    const [mistyped, { ci, team }] = [`${at.world.shop}/00000000000000ff`, at.world];
    const args = ["--break-glass", ci, "--break-glass", mistyped, "--without-secret", mistyped];
    expect((await at.world.report(team, args)).unused).toEqual([
      { setting: "--break-glass", uid: mistyped },
      { setting: "--without-secret", uid: mistyped },
    ]);
    const { stdout } = await at.world.run(team, args);
    expect(stdout).toContain(`Without effect: --break-glass ${mistyped}: nothing with this uid is in the group.\n`);
  });

  it("includes invites, whose codes nobody can read", async () => {
    const { admin, root } = at.world.platform;
    const group = await admin.group(root, "invited");
    const invite = { roleUid: await admin.role("viewer"), email: "ada@example.com", ttl: "3600s" };
    const { uid } = await admin.ok("POST", `/iam/v2beta1/groupInvites/${group}`, invite);
    const { code, exceptions } = await at.world.report(group);
    expect(code).toBe(3);
    expect(exceptions).toEqual([
      {
        noun: "group invite",
        uid,
        outcome: "left out",
        reason: expect.stringContaining("unless a GroupInvite made it"),
      },
    ]);
  });

  it("includes what the caller may not see, and a folder never loses it", async () => {
    const stranger = await at.world.platform.callerWith("registry.pull", at.world.team);
    const { code, unseen, objects } = await at.world.report(at.world.team, [], stranger.token);
    expect({ code, objects }).toEqual({ code: 3, objects: { Group: 2 } });
    expect(unseen.map(({ capability }) => capability)).toContain("CAP_IAM_IDENTITY_LIST");
    await at.world.run(at.world.team);
    const before = at.world.content();
    const again = await at.world.run(at.world.team, [], stranger.token);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("that you may not list, such as team-");
    expect(at.world.content()).toEqual(before);
  });
});
