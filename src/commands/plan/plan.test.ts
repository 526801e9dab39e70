import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { type Client, RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { Plan } from "#src/plan/plan.ts";
import type { ShownPlan } from "./format-plan.ts";
import { readManifests } from "./read-manifests.ts";

// The command with the platform itself, and a cluster in files.

const files = mkdtempSync(join(tmpdir(), "muster-plan-"));
let platform: RunningPlatform;
let person: Client;
let stranger: Client;
let team = "";
let identity = "";
beforeAll(async () => {
  platform = await RunningPlatform.start();
  const { admin, root } = platform;
  team = await admin.group(root, "team");
  person = await platform.callerWith("owner", root);
  stranger = await platform.callerWith("owner", await admin.group(root, "elsewhere"));
  identity = await admin.identity(root, "muster");
  await admin.ok("PATCH", `/iam/v2beta1/identities/${identity}?updateMask=description`, {
    description: withRecordedOwner("", "prod"),
  });
  await admin.bind(root, identity, await admin.role("owner"));
});
afterAll(async () => {
  rmSync(files, { recursive: true });
  await platform.stop();
});

const tenant = (groups: string) => `
apiVersion: iam.muster.dev/v1beta1
kind: Tenant
metadata: {name: shop}
spec: {namespaces: [shop], groups: ["${groups}"], roles: [viewer], claimIssuers: [{issuer: "https://ci.example.com"}]}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
`;
const group = `
apiVersion: iam.muster.dev/v1beta1
kind: Group
metadata: {name: shop, namespace: shop}
spec: {parentUid: TEAM, description: The web shop}
---
`;
const tree = `${group}
apiVersion: iam.muster.dev/v1beta1
kind: Identity
metadata: {name: ci, namespace: shop}
spec: {groupRef: {name: shop}, claimMatch: {issuer: "https://ci.example.com", subject: "repo:acme/shop"}}
---
apiVersion: iam.muster.dev/v1beta1
kind: RoleBinding
metadata: {name: ci-views, namespace: shop}
spec: {groupRef: {name: shop}, identityRef: {name: ci}, roleRef: {name: ROLE}}
`;

function plan(
  text: string,
  {
    token = person.token,
    args = [] as readonly string[],
    path = "",
    rootGroup = platform.root,
    url = platform.url,
  } = {},
) {
  const tokenFile = join(files, "token");
  writeFileSync(tokenFile, token ?? "");
  const settings = {
    "--platform-url": url,
    "--token-file": tokenFile,
    "--identity": identity,
    "--root-group": rootGroup,
    "--allowed-role": "viewer",
    "--owner-id": "prod",
    "--service-account-issuer": "https://kubernetes.example.com",
  };
  const input = text.replaceAll("TEAM", team).replaceAll("ROLE", "viewer");
  return runCommand(["plan", "-f", "-", "--offline", ...Object.entries(settings).flat(), ...args], {
    input,
    env: { PATH: path },
  });
}

it("prints what would be created, and creates nothing", async () => {
  const before = await platform.admin.ok("GET", "/iam/v2beta1/groups");
  const { code, stdout, stderr } = await plan(tenant(team) + tree);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "muster plan: 3 to create\n",
  });
  expect(stdout.replaceAll(team, "TEAM").replaceAll(/[0-9a-f]{40}/g, "ROLE")).toMatchInlineSnapshot(`
    "+ create group shop in TEAM  (shop/Group/shop)
          name: shop
          description: The web shop
        it does not exist yet
        Ready=True Available

    + create identity ci in TEAM/(new 1)  (shop/Identity/ci)
          name: ci
          claimMatch: {"issuer":"https://ci.example.com","subject":"repo:acme/shop"}
        it does not exist yet
        Ready=True Available

    + create role binding in TEAM/(new 1)  (shop/RoleBinding/ci-views)
          identityUid: ci (TEAM/(new 1)/(new 2))
          roleUid: viewer (ROLE)
        it does not exist yet
        Ready=True Available

    Plan: 3 to create.

    Access: 1 identity gains capabilities.

    + root/team/shop/ci gains capabilities in root/team/shop and below
          account_associations.list, advisories.list, group_invites.list, groups.list, identity.list, identity_providers.list, repo.list, role_bindings.list, roles.list, tag.list
        through viewer (shop/ci-views)
        assumed by: issuer https://ci.example.com, subject repo:acme/shop
    "
  `);
  expect(await platform.admin.ok("GET", "/iam/v2beta1/groups")).toEqual(before);
});

it("prints the same as data and as Markdown", async () => {
  const { stdout } = await plan(tenant(team) + tree, { args: ["-o", "json"] });
  expect((JSON.parse(stdout) as Plan).changes.map(({ action, object }) => [action, object.kind])).toEqual([
    ["create", "Group"],
    ["create", "Identity"],
    ["create", "RoleBinding"],
  ]);
  const { stdout: markdown } = await plan(tenant(team) + tree, { args: ["-o", "markdown"] });
  expect(markdown).toContain(
    "**Plan: 3 to create.**\n\n| Change | Resource | Object | Fields | Why | Condition |\n| ---",
  );
});

it("calls it an adoption when an object manages what it only observed, with or without a write", async () => {
  const { admin, root } = platform;
  const observed = await admin.group(root, "observed");
  const ci = await admin.identity(observed, "ci");
  await admin.bind(observed, ci, await admin.role("viewer"));
  const { roleBindings } = (await admin.ok("GET", `/iam/v2beta1/roleBindings?uidp.childrenOf=${observed}`)) as {
    readonly roleBindings: readonly { readonly uid: string }[];
  };
  const object = (kind: string, spec: string, uid: string) => `---
apiVersion: iam.muster.dev/v1beta1
kind: ${kind}
metadata: {name: observed, namespace: shop, generation: 2}
spec: {${spec}, uid: ${uid}, policy: {management: Full}}
status: {uid: ${uid}, management: Observed, observedGeneration: 1}
`;
  const binding = `groupRef: {name: observed}, identityUid: ${ci}, roleRef: {name: viewer}`;
  const objects =
    object("Group", `parentUid: ${root}`, observed) + object("RoleBinding", binding, roleBindings[0]?.uid ?? "");
  const permitting = tenant(root).replace("roles:", "adopt: [Group, RoleBinding], roles:");
  const { stdout } = await plan(permitting + objects, { args: ["-o", "json"] });
  expect((JSON.parse(stdout) as Plan).changes.map(({ action, object: { kind } }) => [action, kind])).toEqual([
    ["adopt", "Group"],
    ["adopt", "RoleBinding"],
  ]);
});

it("exits with 3 if something is refused", async () => {
  const { code, stdout } = await plan(tenant(team) + tree.replace("ROLE", "owner"));
  expect(code).toBe(3);
  expect(stdout).toContain("! shop/RoleBinding/ci-views\n    Ready=False TenantDenied\n    spec.roleRef: Tenant shop");
});

it("sees enough as a viewer of the root group", async () => {
  const viewer = await platform.callerWith("viewer", platform.root);
  expect(await plan(tenant(team) + tree, { token: viewer.token })).toEqual(await plan(tenant(team) + tree));
});

it("knows nothing with a token that is narrower than the roles of its identity", async () => {
  const narrow = await platform.callerWith("viewer", platform.root, `&scope=${platform.root}`);
  const { code, stdout, stderr } = await plan(tenant(team) + group, { token: narrow.token });
  expect(stderr).toContain("muster: warning: the token is limited to some groups or capabilities");
  expect(code).toBe(3);
  expect(stdout).not.toContain("+ create");
});

it("sees everything with the token of an administrator", async () => {
  const { code, stdout, stderr } = await plan(tenant(team) + group, { token: platform.admin.token });
  expect(code).toBe(2);
  expect(stdout).toContain("+ create");
  expect(stderr).not.toContain("warning");
});

it("knows nothing with a token that does not say whose it is", async () => {
  const { stderr } = await plan(tenant(team) + group, { token: "of-another-form" });
  expect(stderr).toContain("muster: warning: the token does not say whose it is");
});

it("exits with 0 if there is nothing to do", async () => {
  expect(await plan(tenant(team))).toEqual({ code: 0, stdout: "Plan: nothing to do.\n", stderr: "" });
});

it("never takes for absent what the caller may not list", async () => {
  const { code, stdout } = await plan(tenant(team) + group, { token: stranger.token });
  expect(code).toBe(3);
  expect(stdout).not.toContain("nothing to do");
  expect(stdout).toContain("shop/Group/shop");
});

it.each([
  ["kind: Group\n", "standard input: document 1 (line 1): apiVersion: is missing"],
  ["apiVersion: iam.muster.dev/v1beta1\nkind: Group\n", "document 1 (line 1): metadata.name: is missing"],
  ["a: [", "standard input: document 1 (line 1): "],
  [
    "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: {name: a}\n",
    "kind: Kustomization is for Kustomize: give its folder to --kustomize (-k)",
  ],
  [
    group.replace("v1beta1", "v1"),
    "document 1 (line 2): kind: there is no Group of iam.muster.dev/v1; the kinds are Group, Identity, ",
  ],
  [group.replace("kind: Group", "kind: Grup"), "document 1 (line 2): kind: there is no Grup of iam.muster.dev/v1beta1"],
  [
    group.replace("{name: shop,", "{generateName: shop-,"),
    "metadata.generateName: the API server chooses another name",
  ],
  [group.replace("{name: shop,", "{name: Shop,"), "metadata.name: must be the name of a Kubernetes object: lowercase"],
  [
    group.replace("{name: shop,", "{name: a/../b,"),
    "metadata.name: must be the name of a Kubernetes object: lowercase",
  ],
  [group.replace("{name: shop,", "{name: 1,"), "metadata.name: Invalid input: expected string, received number"],
  [group.replace("namespace: shop", "namespace: Shop"), "metadata.namespace: "],
  // What kubectl refuses, too: YAML reads it as a boolean.
  [
    group.replace("namespace: shop", "namespace: shop, annotations: {iam.muster.dev/paused: true}"),
    "metadata.annotations.iam.muster.dev/paused: Invalid input: expected string, received boolean",
  ],
  [`${group.slice(0, -4)}\nspec: {}\n`, "document 1 (line 2): Map keys must be unique (line 7)"],
  [group + group, "document 2 (line 8): metadata.name: Group shop/shop is also in standard input: document 1"],
  [group.replace("description", "descriptoin"), "document 1 (line 2): spec.descriptoin: is not a field of Group"],
  [group.replace("namespace", "namespce"), "document 1 (line 2): metadata.namespce: is not a field of Group"],
  [group.replace("spec:", "sepc: {}\nspec:"), "document 1 (line 2): sepc: is not a field of Group"],
  [group.replace("parentUid: TEAM", "parentUid: TEAM/x"), "document 1 (line 2): spec.parentUid: "],
])("names file, document and field of a mistake: %j", async (text, mistake) => {
  const { code, stderr } = await plan(text);
  expect(code).toBe(1);
  expect(stderr).toContain(mistake);
});

const secret = `
---
apiVersion: v1
kind: Secret
metadata: {name: sso, namespace: shop}
stringData: {clientSecret: planted-value}
---
apiVersion: v1
kind: Secret
metadata: {generateName: x-}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: sso}
`;

it("plans what the operator reads of a folder, and names the kinds of everything else without its contents", async () => {
  const text = await plan(tenant(team) + group + secret);
  expect(text.code).toBe(2);
  expect(text.stdout).toContain(
    "Plan: 1 to create.\n\nNot planned, because the operator does not read them: 2 Secret of v1, 1 Role of rbac.authorization.k8s.io/v1.\n",
  );
  const { stdout: markdown } = await plan(tenant(team) + group + secret, { args: ["-o", "markdown"] });
  expect(markdown).toContain("Not planned, because the operator does not read them: 2 Secret of v1, ");
  const { stdout: json } = await plan(tenant(team) + group + secret, { args: ["-o", "json"] });
  expect((JSON.parse(json) as ShownPlan).notPlanned).toEqual([
    { apiVersion: "v1", kind: "Secret", count: 2 },
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", count: 1 },
  ]);
  for (const output of [text.stdout, text.stderr, markdown, json]) expect(output).not.toContain("planted-value");
});

it("plans an object without a namespace, or with an empty one, in the namespace of --namespace", async () => {
  for (const namespace of ["", ', namespace: ""']) {
    const without = group.replace(", namespace: shop", namespace);
    expect((await plan(tenant(team) + without, { args: ["-n", "shop"] })).stdout).toContain("(shop/Group/shop)");
  }
});

it("exits with 1 after wrong settings, because 2 says that something changes", async () => {
  const { code, stderr } = await runCommand(["plan", "--live", "--delete", "--offline"]);
  expect(code).toBe(1);
  expect(stderr).toContain("invalid settings");
});

it("exits with 1 without a login", async () => {
  const home = mkdtempSync(join(files, "home-"));
  const owner = ["--owner-id", "prod", "--service-account-issuer", "https://kubernetes.example.com"];
  const args = ["plan", "-f", "-", "--offline", ...owner, "--identity", identity, "--root-group", platform.root];
  const { code, stderr } = await runCommand([...args, "--allowed-role", "viewer"], {
    input: tenant(team),
    env: { HOME: home, XDG_CONFIG_HOME: home },
  });
  expect(stderr).toContain("not logged in");
  expect(code).toBe(1);
});

it("exits with 1 and says what to do if the platform cannot be read", async () => {
  const away = await plan(tenant(team) + tree, { url: "http://127.0.0.1:1" });
  expect(away.code).toBe(1);
  expect(away.stderr).toMatch(/ECONNREFUSED.*Check that the platform responds: muster doctor\./);
  const expired = await plan(tenant(team) + tree, { token: "expired" });
  expect(expired.code).toBe(1);
  expect(expired.stderr).toContain("Log in again: muster login. Or replace the file of --token-file.");
});

it("does not call undeclared offline what other files may declare", async () => {
  const { stdout } = await plan(tenant(team) + tree, { args: ["-o", "json"] });
  const [change] = (JSON.parse(stdout) as ShownPlan).access?.changes ?? [];
  expect(change?.through[0]?.roleBinding.declaredBy).toMatchObject({ name: "ci-views" });
  const inTeam = tree.replace("groupRef: {name: shop}, identityRef", "groupUid: TEAM, identityRef");
  const [other] = (JSON.parse((await plan(tenant(team) + inTeam, { args: ["-o", "json"] })).stdout) as ShownPlan).access
    ?.changes ?? [undefined];
  expect(other?.group).toMatchObject({ uid: team, declaredBy: "unknown" });
});

it("shows no character of a manifest that a terminal would obey, or that changes the direction of text", async () => {
  const bad = group.replace("The web shop", '"a\\u009b31m\\u202eb"');
  const { stdout } = await plan(tenant(team) + bad);
  expect(stdout).toContain("description: a\ufffd31m\ufffdb\n");
});

const { signal } = new AbortController();
const sources = { stdin: process.stdin, signal, namespace: "shop", kinds };

it("reads the manifests of a folder, and not what kustomize reads there", async () => {
  const folder = mkdtempSync(join(files, "folder-"));
  writeFileSync(join(folder, "tree.yaml"), tenant(team));
  writeFileSync(join(folder, "kustomization.yaml"), "kind: Kustomization\nresources: [tree.yaml]\n");
  const { manifests } = await readManifests([folder], sources);
  expect(manifests.map(({ object }) => object.kind)).toEqual(["Tenant", "Namespace"]);
});

it("reads what kubectl get prints of an object", async () => {
  const metadata = {
    name: "shop",
    namespace: "shop",
    uid: "b93a4d41-5d6d-4375-932a-c67c1277f5b4",
    resourceVersion: "272",
    generation: 3,
    creationTimestamp: null,
    labels: { team: "a", constructor: "b" },
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
    finalizers: ["iam.muster.dev/external"],
    managedFields: [{ operation: "Apply" }],
  };
  const file = join(files, "got.json");
  const spec = { parentUid: platform.root };
  const of = (apiVersion: string, kind: string, more: object) =>
    JSON.stringify({ apiVersion: "v1", kind: "List", items: [{ apiVersion, kind, metadata, ...more }] });
  writeFileSync(file, of("iam.muster.dev/v1beta1", "Group", { spec, status: { conditions: [] } }));
  const [read] = (await readManifests([file], sources)).manifests;
  const { labels, annotations, uid } = metadata;
  expect(read?.object.metadata).toMatchObject({ name: "shop", namespace: "shop", labels, annotations, uid });
  writeFileSync(file, of("v1", "Namespace", { spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } }));
  expect((await readManifests([file], sources)).manifests).toHaveLength(1);
});

it("reads lists as kubectl prints them", async () => {
  const item = { apiVersion: "iam.muster.dev/v1beta1", kind: "Group", spec: { parentUid: platform.root } };
  const listed = (apiVersion: string, kind: string, name: string) =>
    JSON.stringify({ apiVersion, kind, metadata: {}, items: [{ ...item, metadata: { name } }] });
  const folder = mkdtempSync(join(files, "lists-"));
  writeFileSync(join(folder, "a.json"), listed("v1", "List", "a"));
  writeFileSync(join(folder, "b.json"), listed("iam.muster.dev/v1beta1", "GroupList", "b"));
  const { manifests } = await readManifests([folder], sources);
  expect(manifests.map(({ object }) => object.metadata.name)).toEqual(["a", "b"]);
});

it("reads the files in a folder whose name ends as that of a manifest, and names a link to nothing", async () => {
  const folder = mkdtempSync(join(files, "folder-"));
  mkdirSync(join(folder, "shop.yaml"));
  writeFileSync(join(folder, "shop.yaml", "tree.yaml"), tenant(team));
  expect((await readManifests([folder], sources)).manifests).toHaveLength(2);
  symlinkSync(join(folder, "nothing"), join(folder, "link.yaml"));
  await expect(readManifests([folder], sources)).rejects.toThrow("link.yaml is a link to a file that does not exist");
});

it("builds a kustomization, and reads it like a file", async () => {
  const folder = join(files, "overlay");
  mkdirSync(folder);
  writeFileSync(join(folder, "kubectl"), `#!/bin/sh\ncat "$2/built.yaml"\n`, { mode: 0o755 });
  writeFileSync(join(folder, "built.yaml"), tenant(team) + group.replace("TEAM", team));
  const { code, stdout } = await plan("", { args: ["-k", folder], path: `${folder}:${process.env["PATH"]}` });
  expect(stdout).toContain("+ create group shop in");
  expect(code).toBe(2);
});

it("plans for a viewer of the Tenant's groups, who assumes that the operator is as it should be", async () => {
  const viewer = await platform.callerWith("viewer", team);
  const change = { token: viewer.token, rootGroup: team };
  expect((await plan(tenant(team) + tree, change)).code).toBe(3);
  const { code, stdout } = await plan(tenant(team) + tree, { ...change, args: ["--assume-operator"] });
  expect(code).toBe(2);
  expect(stdout).toContain("Plan: 3 to create.");
  expect(stdout).toContain("+ …/team/shop/ci gains capabilities in …/team/shop and below");
});

it("says who gets what with the code of an invite that it creates, and until when", async () => {
  const invite = `
---
apiVersion: iam.muster.dev/v1beta1
kind: GroupInvite
metadata: {name: ada, namespace: shop}
spec:
  groupRef: {name: shop}
  roleRef: {name: viewer}
  email: ada@example.com
  expiresAt: "2036-01-31T00:00:00Z"
  secretRef: {name: ada}
`;
  const permitting = tenant(team).replace("roles:", "kinds: [Group, GroupInvite], roles:");
  const { stdout } = await plan(permitting + group + invite);
  expect(stdout).toContain("      expirationTime: 2036-01-31T00:00:00.000Z\n");
  expect(stdout).toContain(
    "+ the first who logs in with the code of a new invite until 2036-01-31T00:00:00.000Z, with the verified e-mail address ada@example.com, now gets viewer in root/team/shop and below",
  );
});
