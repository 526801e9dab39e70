import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Client, type Json, RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "muster-copy-"));
let from: RunningPlatform;
let to: RunningPlatform;
beforeAll(async () => {
  [from, to] = await Promise.all([RunningPlatform.start(), RunningPlatform.start()]);
});
afterAll(async () => {
  await Promise.all([from.stop(), to.stop()]);
  rmSync(folder, { recursive: true });
});

const created = (path: string, body: object) => from.admin.ok("POST", path, body);
/** A List without uids and times, in the order of its texts. */
async function listed(admin: Client, path: string): Promise<readonly string[]> {
  const page = await admin.ok("GET", `${path}?page_size=200`);
  const own = ["uid", "createTime", "updateTime", "lastSeenTime"];
  const text = (resource: Json) => JSON.stringify(resource, (key, value: unknown) => (own.includes(key) ? "" : value));
  return (page[path.slice(path.lastIndexOf("/") + 1)] as readonly Json[]).map(text).toSorted();
}

it("copies resources, writes those of the registry to a file, and reports what it cannot copy", async () => {
  const { uid: group } = await created(`/iam/v2beta1/groups/${from.root}`, {
    name: "shop",
    resourceLimits: { idps: 3 },
  });
  const awsIdentity = { awsAccount: "123456789012", arn: "arn:aws:iam::123456789012:role/x", userId: "AROA:x" };
  const identity = await created(`/iam/v2beta1/identities/${group}`, { name: "builds", awsIdentity });
  const role = await created(`/iam/v2beta1/roles/${group}`, { name: "reader", capabilities: ["CAP_REPO_LIST"] });
  for (const roleUid of [role.uid, await from.admin.role("viewer")])
    await created(`/iam/v2beta1/roleBindings/${group}`, { identityUid: identity.uid, roleUid });
  const oidc = { issuer: "https://issuer.example.com", clientId: "c" };
  const provider = { defaultRole: role.uid, name: "people" };
  await created(`/iam/v2beta1/identityProviders/${group}`, { ...provider, oidc: { ...oidc, pkceEnabled: true } });
  const { uid: secret } = await created(`/iam/v2beta1/identityProviders/${group}`, {
    ...provider,
    oidc: { ...oidc, clientSecret: "not to be read" },
  });
  const amazon = { account: "123456789012" };
  await created(`/iam/v2beta1/accountAssociations/${group}`, { name: "cloud", amazon });
  const repo = await created(`/registry/v2beta1/repos/${group}`, { name: "checkout" });
  await created(`/registry/v2beta1/tags/${repo.uid}`, { name: "1.0", digest: `sha256:${"b".repeat(64)}` });

  const args = ["from", "to"].flatMap((name, index) => {
    const { url, admin } = [from, to][index] as RunningPlatform;
    writeFileSync(join(folder, name), admin.token ?? "");
    return [`--${name}`, url, `--${name}-token-file`, join(folder, name)];
  });
  const registry = join(folder, "registry.jsonl");
  const copy = run(process.execPath, ["scripts/copy-platform.ts", ...args, "--registry", registry]);
  await expect(copy).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(`identityProviders/${secret}`) });

  for (const name of ["groups", "identities", "roles", "roleBindings", "accountAssociations"])
    expect(await listed(to.admin, `/iam/v2beta1/${name}`)).toEqual(await listed(from.admin, `/iam/v2beta1/${name}`));
  expect((await to.admin.ok("GET", "/iam/v2beta1/identityProviders"))["identityProviders"]).toMatchObject([
    { name: "people", oidc: { ...oidc, pkceEnabled: true } },
  ]);
  const shop = (await to.admin.ok("GET", "/iam/v2beta1/groups?name=shop")).groups[0]?.uid;
  const documents = readFileSync(registry, "utf8").trimEnd().split("\n");
  expect(documents.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { kind: "Repo", group: shop, name: "checkout" },
    { kind: "Tag", group: shop, repo: "checkout", name: "1.0" },
  ]);
});
