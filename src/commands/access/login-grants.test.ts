import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parentOf } from "#src/platform/contract/uid.ts";
import { type CommandRun, runCommand } from "#src/command-line.testing.ts";
import { RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";

let platform: RunningPlatform;
let folder = "";
let [provider, invite, keyId, reader] = ["", "", "", ""];
const issuer = "https://people.example.com";

/** A platform with a provider and an invite in the group shop, in which somebody is a viewer. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "muster-logins-"));
  platform = await RunningPlatform.start();
  const { admin, root } = platform;
  const shop = await admin.group(root, "shop");
  await admin.group(shop, "web");
  reader = await platform.makeIdentity(shop);
  await admin.bind(shop, reader, await admin.role("viewer"));
  const oidc = { issuer, clientId: "muster", pkceEnabled: true };
  const editor = await admin.role("editor");
  const made = { name: "people", defaultRole: editor, oidc };
  provider = (await admin.ok("POST", `/iam/v2beta1/identityProviders/${shop}`, made)).uid;
  const invited = await admin.ok("POST", `/iam/v2beta1/groupInvites/${shop}`, { roleUid: editor, ttl: "3600s" });
  [invite, keyId] = [invited.uid, String(invited["keyId"])];
  const claimMatch = { issuer, subject: "ann", audience: oidc.clientId };
  await admin.ok("POST", `/iam/v2beta1/identities/${shop}`, { name: "ann", claimMatch });
});
afterAll(async () => {
  await platform.stop();
  rmSync(folder, { recursive: true });
});

function access(token: string, ...args: readonly string[]): Promise<CommandRun> {
  const file = join(folder, "token");
  writeFileSync(file, token);
  const given = ["access", ...args, "--platform-url", platform.url, "--token-file", file, "--no-cluster"];
  return runCommand(given, { env: {} });
}
const asAdmin = (...args: readonly string[]) => access(platform.admin.token ?? "", ...args);
const sentence = `Anybody who logs in through the identity provider people (issuer ${issuer}) gets editor in root/shop and below.`;

it.each([
  ["who-can", ["who-can", "repo.create", "--group", "web"]],
  ["explain", ["explain", "ann", "repo.create", "--group", "web"]],
  ["of", ["of", "ann"]],
  ["report", ["report", "--group", "web"]],
])("names what people get who log in: %s", async (_, args) => {
  const { stdout } = await asAdmin(...args);
  expect(stdout).toContain(sentence);
  expect(stdout).toMatch(
    new RegExp(
      `Anybody who logs in with the code of the invite ${keyId} until 20\\S+Z gets editor in root/shop and below\\.`,
    ),
  );
  const found = JSON.parse((await asAdmin(...args, "-o", "json")).stdout) as { loginGrants: object[] };
  expect(found.loginGrants).toMatchObject([
    { through: "identityProvider", uid: provider, provider: { clientId: "muster" }, declaredBy: "unknown" },
    { through: "groupInvite", uid: invite, invite: { keyId, singleUse: false } },
  ]);
  expect(found).toMatchObject({ unknown: [] });
});

it("names nothing that is for people of another issuer, or that does not have the capability", async () => {
  expect((await asAdmin("of", "caller")).stdout).not.toContain("logs in");
  expect((await asAdmin("who-can", "roles.create", "--group", "web")).stdout).not.toContain("logs in");
});

it("says that it is unknown where the caller cannot list it", async () => {
  const { body } = await platform.exchange(await platform.subjectToken(reader), reader);
  const { stdout } = await access(body.token, "who-can", "repo.create", "--group", "web");
  const where = `of ${platform.root}, which give roles to people who log in, cannot be read`;
  expect(stdout).toContain(`Unknown: the identity providers ${where}: you need identity_providers.list there.`);
  expect(stdout).toContain(`Unknown: the invites ${where}: you need group_invites.list there.`);
  expect(stdout).toContain(sentence.replace("root/shop", "…/shop"));
});

it("says that it is unknown what people get who log in, if the caller cannot read the role", async () => {
  const { admin, root } = platform;
  const made = { name: "hidden", capabilities: ["CAP_REPO_DELETE"] };
  const role = (await admin.ok("POST", `/iam/v2beta1/roles/${root}`, made)).uid;
  const shop = parentOf(provider) ?? "";
  const oidc = { issuer: "https://others.example.com", clientId: "muster", pkceEnabled: true };
  const other = { name: "others", defaultRole: role, oidc };
  const { uid } = await admin.ok("POST", `/iam/v2beta1/identityProviders/${shop}`, other);
  const { body } = await platform.exchange(await platform.subjectToken(reader), reader);
  for (const args of [
    ["who-can", "repo.delete", "--group", "web"],
    ["explain", "ann", "repo.delete", "--group", "web"],
    ["of", await othersIdentity(shop)],
  ]) {
    const { stdout } = await access(body.token, ...args);
    expect(stdout).toContain(`Unknown: the capabilities of the role ${role} cannot be read: you need roles.list in `);
  }
  await admin.ok("DELETE", `/iam/v2beta1/identityProviders/${uid}`);
});

/** An identity of somebody at the other issuer. */
async function othersIdentity(group: string): Promise<string> {
  const claimMatch = { issuer: "https://others.example.com", subject: "bob", audience: "muster" };
  const { uid } = await platform.admin.ok("POST", `/iam/v2beta1/identities/${group}`, { name: "bob", claimMatch });
  return uid;
}

it("has a row in the table for spreadsheets, and a place on the page", async () => {
  const { stdout: csv } = await asAdmin("report", "--group", "web", "-o", "csv");
  expect(csv).toContain(
    `"unknown","anybody who logs in through the identity provider people (issuer ${issuer})","","","editor"`,
  );
  const { stdout: page } = await asAdmin("report", "--group", "web", "-o", "html");
  expect(page).toContain("Who gets access by logging in");
});
