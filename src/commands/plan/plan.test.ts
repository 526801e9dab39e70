import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { runCommand } from "#src/command-line.testing.ts";
import { finalizer } from "#src/api/custom-resource.ts";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import type { Plan } from "#src/plan/plan.ts";
import type { ShownPlan } from "./format-plan.ts";
import { ClusterServer } from "#src/commands/reader/cluster-server.testing.ts";
import { group, PlanWorld, tenant, tree } from "./plan-world.testing.ts";

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.start();
});
afterAll(() => world.stop());

it("prints what would be created, and creates nothing", async () => {
  const before = await world.platform.admin.ok("GET", "/iam/v2beta1/groups");
  const { code, stdout, stderr } = await world.plan(tenant(world.team) + tree);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "muster plan: 3 to create\n",
  });
  expect(stdout.replaceAll(world.team, "TEAM").replaceAll(/[0-9a-f]{40}/g, "ROLE")).toMatchInlineSnapshot(`
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
  expect(await world.platform.admin.ok("GET", "/iam/v2beta1/groups")).toEqual(before);
});

it("prints the same as data and as Markdown", async () => {
  const { stdout } = await world.plan(tenant(world.team) + tree, { args: ["-o", "json"] });
  expect((JSON.parse(stdout) as Plan).changes.map(({ action, object }) => [action, object.kind])).toEqual([
    ["create", "Group"],
    ["create", "Identity"],
    ["create", "RoleBinding"],
  ]);
  const { stdout: markdown } = await world.plan(tenant(world.team) + tree, { args: ["-o", "markdown"] });
  expect(markdown).toContain(
    "**Plan: 3 to create.**\n\n| Change | Resource | Object | Fields | Why | Condition |\n| ---",
  );
});

it("calls it an adoption when an object manages what it only observed, with or without a write", async () => {
  const { admin, root } = world.platform;
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
  const { stdout } = await world.plan(permitting + objects, { args: ["-o", "json"] });
  expect((JSON.parse(stdout) as Plan).changes.map(({ action, object: { kind } }) => [action, kind])).toEqual([
    ["adopt", "Group"],
    ["adopt", "RoleBinding"],
  ]);
});

it("exits with 3 if something is refused", async () => {
  const { code, stdout } = await world.plan(tenant(world.team) + tree.replace("ROLE", "owner"));
  expect(code).toBe(3);
  expect(stdout).toContain("! shop/RoleBinding/ci-views\n    Ready=False TenantDenied\n    spec.roleRef: Tenant shop");
});

it("refuses to bind a role above its group, with the words of the platform", async () => {
  const text = `
---
apiVersion: iam.muster.dev/v1beta1
kind: Role
metadata: {name: lister, namespace: shop}
spec: {groupRef: {name: shop}, capabilities: [CAP_IAM_GROUPS_LIST]}
---
apiVersion: iam.muster.dev/v1beta1
kind: RoleBinding
metadata: {name: ci-lists, namespace: shop}
spec: {groupUid: TEAM, identityRef: {name: ci}, roleRef: {kind: Role, name: lister}}
`;
  const permitting = tenant(world.team).replace("roles:", "kinds: [Group, Identity, Role, RoleBinding], roles:");
  const { code, stdout } = await world.plan(permitting + tree + text);
  expect(code).toBe(3);
  expect(stdout).toContain("+ create role lister in");
  expect(stdout).toContain(
    "! shop/RoleBinding/ci-lists\n    Ready=False InvalidSpec\n    The platform rejected the spec: spec.roleRef: a custom role can be bound only in its own group and below it",
  );
});

it("exits with 0 if there is nothing to do", async () => {
  expect(await world.plan(tenant(world.team))).toEqual({ code: 0, stdout: "Plan: nothing to do.\n", stderr: "" });
});

it.each([
  ["plan --live --delete --offline", 1],
  ["operator --nosuch --dry-run", 1],
  ["operator --nosuch", 2],
])(
  "after wrong settings, `muster %s` exits with %d: 1 where 2 says that something changes",
  async (words, expected) => {
    const { code, stderr } = await runCommand(words.split(" "));
    expect(code).toBe(expected);
    expect(stderr).toContain("invalid settings");
  },
);

it("does not call undeclared offline what other files may declare", async () => {
  const { stdout } = await world.plan(tenant(world.team) + tree, { args: ["-o", "json"] });
  const [change] = (JSON.parse(stdout) as ShownPlan).access?.changes ?? [];
  expect(change?.through[0]?.roleBinding.declaredBy).toMatchObject({ name: "ci-views" });
  const inTeam = tree.replace("groupRef: {name: shop}, identityRef", "groupUid: TEAM, identityRef");
  const [other] = (
    JSON.parse((await world.plan(tenant(world.team) + inTeam, { args: ["-o", "json"] })).stdout) as ShownPlan
  ).access?.changes ?? [undefined];
  expect(other?.group).toMatchObject({ uid: world.team, declaredBy: "unknown" });
});

it("shows no character of a manifest that a terminal would obey, or that changes the direction of text", async () => {
  const bad = group.replace("The web shop", '"a\\u009b31m\\u202eb"');
  const { stdout } = await world.plan(tenant(world.team) + bad);
  expect(stdout).toContain("description: a\ufffd31m\ufffdb\n");
});

it("builds a kustomization, and reads it like a file", async () => {
  const folder = join(world.files, "overlay");
  mkdirSync(folder);
  writeFileSync(join(folder, "kubectl"), `#!/bin/sh\ncat "$2/built.yaml"\n`, { mode: 0o755 });
  writeFileSync(join(folder, "built.yaml"), tenant(world.team) + group.replace("TEAM", world.team));
  const { code, stdout } = await world.plan("", { args: ["-k", folder], path: `${folder}:${process.env["PATH"]}` });
  expect(stdout).toContain("+ create group shop in");
  expect(code).toBe(2);
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
  const permitting = tenant(world.team).replace("roles:", "kinds: [Group, GroupInvite], roles:");
  const { stdout } = await world.plan(permitting + group + invite);
  expect(stdout).toContain("      expirationTime: 2036-01-31T00:00:00.000Z\n");
  expect(stdout).toContain(
    "+ the first who logs in with the code of a new invite until 2036-01-31T00:00:00.000Z, with the verified e-mail address ada@example.com, now gets viewer in root/team/shop and below",
  );
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
  const text = await world.plan(tenant(world.team) + group + secret);
  expect(text.code).toBe(2);
  expect(text.stdout).toContain(
    "Plan: 1 to create.\n\nNot planned, because the operator does not read them: 2 Secret of v1, 1 Role of rbac.authorization.k8s.io/v1.\n",
  );
  const { stdout: markdown } = await world.plan(tenant(world.team) + group + secret, { args: ["-o", "markdown"] });
  expect(markdown).toContain("Not planned, because the operator does not read them: 2 Secret of v1, ");
  const { stdout: json } = await world.plan(tenant(world.team) + group + secret, { args: ["-o", "json"] });
  expect((JSON.parse(json) as ShownPlan).notPlanned).toEqual([
    { apiVersion: "v1", kind: "Secret", count: 2 },
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", count: 1 },
  ]);
  for (const output of [text.stdout, text.stderr, markdown, json]) expect(output).not.toContain("planted-value");
});

it("plans an object without a namespace, or with an empty one, in the namespace of --namespace", async () => {
  for (const namespace of ["", ', namespace: ""']) {
    const without = group.replace(", namespace: shop", namespace);
    expect((await world.plan(tenant(world.team) + without, { args: ["-n", "shop"] })).stdout).toContain(
      "(shop/Group/shop)",
    );
  }
});

it("exits with 1 after invalid manifests", async () => {
  const { code, stdout, stderr } = await world.plan(tenant(world.team) + group.replace("name: shop", "nam: shop"));
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("muster plan: invalid manifests\n  standard input: document 3");
});

it("plans offline with --live for the objects in the files, which exist", async () => {
  const { code, stdout } = await world.plan(tenant(world.team) + tree, { args: ["--live"] });
  expect({ code, stdout }).toMatchObject({ code: 2, stdout: expect.stringContaining("Plan: 3 to create.\n") });
});

it.each(["", "# nothing\n---\n", "apiVersion: v1\nkind: List\nitems: []\n"])(
  "exits with 1 if there are no objects, as kubectl does: %j",
  async (text) => {
    expect(await world.plan(text)).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "muster plan: the manifests contain no objects: check the path, or whether the command that writes them failed\n",
    });
  },
);

it("deletes offline what carries the markers of the objects in the files, also with their Tenant and their Namespace", async () => {
  const { admin } = world.platform;
  const created = async (kind: string, path: string, name: string, fields: object = {}) => {
    const marker = markerOf(ownerHash("prod"), objectHash(kind, "shop", name));
    const body = { name, description: withMarker("", marker), ...fields };
    const { uid } = await admin.ok("POST", path, body);
    return uid;
  };
  const shop = await created("Group", `/iam/v2beta1/groups/${world.team}`, "shop");
  const ci = await created("Identity", `/iam/v2beta1/identities/${shop}`, "ci", {
    claimMatch: { issuer: "https://ci.example.com", subject: "repo:acme/shop" },
  });
  const views = await admin.bind(shop, ci, await admin.role("viewer"));
  const { code, stdout } = await world.plan(tenant(world.team) + tree, { args: ["--delete", "-o", "json"] });
  const { changes, refusals, access } = JSON.parse(stdout) as ShownPlan;
  expect({ code, refusals }).toEqual({ code: 2, refusals: [] });
  expect(changes.map(({ action, object, resource }) => [action, object.kind, resource.uid])).toEqual([
    ["delete", "RoleBinding", views],
    ["delete", "Identity", ci],
    ["delete", "Group", shop],
  ]);
  expect(access?.changes.map(({ change, identity }) => [change, identity.uid])).toEqual([["loses", ci]]);
  await admin.ok("DELETE", `/iam/v2beta1/identities/${ci}`);
  await admin.ok("DELETE", `/iam/v2beta1/groups/${shop}`);
});

it("warns of objects that --delete names and that do not exist, as kubectl delete does", async () => {
  const cluster = new ClusterServer();
  await cluster.listen();
  try {
    const kubeconfig = join(world.files, "kubeconfig");
    writeFileSync(kubeconfig, cluster.kubeconfig);
    const { code, stdout, stderr } = await world.plan(group, { kubeconfig, args: ["--delete"] });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Plan: nothing to do.\n" });
    expect(stderr).toBe(
      "muster: warning: these objects do not exist, so nothing is deleted for them: Group shop/shop\n",
    );
  } finally {
    await cluster.close();
  }
});

it("says who loses access without one object of the cluster", async () => {
  const { admin } = world.platform;
  const marker = (kind: string, name: string) => markerOf(ownerHash("prod"), objectHash(kind, "shop", name));
  const { uid: shop } = await admin.ok("POST", `/iam/v2beta1/groups/${world.team}`, {
    name: "shop",
    description: withMarker("The web shop", marker("Group", "shop")),
  });
  const { uid: ci } = await admin.ok("POST", `/iam/v2beta1/identities/${shop}`, {
    name: "ci",
    description: withMarker("", marker("Identity", "ci")),
    claimMatch: { issuer: "https://ci.example.com", subject: "repo:acme/shop" },
  });
  const views = await admin.bind(shop, ci, await admin.role("viewer"));
  const uids: Readonly<Record<string, string>> = { Group: shop, Identity: ci, RoleBinding: views };
  const cluster = new ClusterServer();
  const objects = parseAllDocuments(tenant(world.team) + tree.replace("TEAM", world.team).replace("ROLE", "viewer"));
  for (const object of objects.map((document) => document.toJS()).filter((one) => one !== null))
    cluster.put(`${object.kind.toLowerCase()}s`.replace("ys", "ies"), {
      ...object,
      metadata: { ...object.metadata, uid: object.kind, finalizers: [finalizer] },
      status: { uid: uids[object.kind], origin: "Created" },
    });
  await cluster.listen();
  try {
    const kubeconfig = join(world.files, "kubeconfig");
    writeFileSync(kubeconfig, cluster.kubeconfig);
    const binding = tree.slice(tree.lastIndexOf("---"));
    const { stdout, stderr } = await world.plan(binding, { kubeconfig, args: ["--delete"] });
    expect(stderr + stdout.replace(views, "BINDING")).toMatchInlineSnapshot(`
      "muster plan: 1 to delete
      - delete role binding BINDING  (shop/RoleBinding/ci-views)
          the object is deleted

      Plan: 1 to delete.

      Access: 1 identity loses capabilities.

      - root/team/shop/ci loses capabilities in root/team/shop and below
            account_associations.list, advisories.list, group_invites.list, groups.list, identity.list, identity_providers.list, repo.list, role_bindings.list, roles.list, tag.list
          through viewer (shop/ci-views)
          assumed by: issuer https://ci.example.com, subject repo:acme/shop
      "
    `);
  } finally {
    await cluster.close();
    await admin.ok("DELETE", `/iam/v2beta1/identities/${ci}`);
    await admin.ok("DELETE", `/iam/v2beta1/groups/${shop}`);
  }
});

it("says what a cluster or a platform has, and what to narrow, before it reads more than --max-objects", async () => {
  const cluster = new ClusterServer();
  cluster.put("tenants", { apiVersion: "iam.muster.dev/v1beta1", kind: "Tenant", metadata: { name: "shop" } });
  await cluster.listen();
  try {
    const kubeconfig = join(world.files, "kubeconfig");
    writeFileSync(kubeconfig, cluster.kubeconfig);
    cluster.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    cluster.calls.length = 0;
    const { code, stderr } = await world.plan(group, { kubeconfig, args: ["--max-objects", "1"] });
    expect(code).toBe(1);
    expect(stderr).toContain("the cluster has 2 objects (1 namespaces, 1 tenants), and --max-objects is 1");
    expect(stderr).toContain("plan the manifests of one Tenant with --offline");
    expect(new Set(cluster.calls).size).toBe(cluster.calls.length);
  } finally {
    await cluster.close();
  }
  const ofPlatform = await world.plan(tenant(world.team) + tree, { args: ["--max-objects", "1"] });
  expect(ofPlatform.code).toBe(1);
  expect(ofPlatform.stderr).toMatch(/the platform has \d+ objects .* give --root-group a group with fewer/);
});
