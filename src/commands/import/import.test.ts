import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { Gateway } from "#src/commands/access/gateway.testing.ts";
import { ownerHash, markerOf, objectHash, withMarker } from "#src/kinds/marker.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";
import type { ImportReport } from "./import-report.ts";

// The command with the platform itself.

let platform: RunningPlatform;
let gateway: Gateway;
let home = "";
let folder = "";
let team = "";
let operator = "";
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "muster-import-command-"));
  platform = await RunningPlatform.start();
  gateway = await Gateway.to(platform.url);
  const { admin, root } = platform;
  team = await admin.group(root, "team");
  const shop = await admin.group(team, "shop");
  const ci = await admin.identity(shop, "ci");
  await admin.bind(shop, ci, await admin.role("viewer"));
  operator = await admin.identity(root, "operator");
  await admin.ok("PATCH", `/iam/v2beta1/identities/${operator}?updateMask=description`, {
    description: withRecordedOwner("", "prod"),
  });
  await admin.bind(root, operator, await admin.role("owner"));
});
beforeEach(() => {
  folder = mkdtempSync(join(home, "dir-"));
  gateway.calls.length = 0;
});
afterAll(async () => {
  rmSync(home, { recursive: true });
  await gateway.close();
  await platform.stop();
});

function run(group: string, args: readonly string[] = [], token = platform.admin.token ?? "") {
  const tokenFile = join(home, "token");
  writeFileSync(tokenFile, token);
  const settings = ["--group", group, "--dir", folder, "--platform-url", gateway.url, "--token-file", tokenFile];
  return runCommand(["import", ...settings, ...args]);
}

async function report(group: string, args: readonly string[] = [], token?: string) {
  const { code, stdout, stderr } = await run(group, ["-o", "json", ...args], token);
  expect(stdout, stderr).not.toBe("");
  return { code, ...(JSON.parse(stdout) as ImportReport) };
}

/** The files, without the hashes in their headers. */
function content(): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".yaml"));
  const text = (path: string) => readFileSync(join(folder, path), "utf8");
  return Object.fromEntries(paths.toSorted().map((path) => [path, text(path)]));
}

function plan(...args: readonly string[]) {
  const flags = ["--root-group", platform.root, "--identity", operator];
  const offline = ["--offline", "--owner-id", "prod", "--service-account-issuer", "https://kubernetes.example.com"];
  const platformFlags = [
    "--platform-url",
    platform.url,
    "--token-file",
    join(home, "token"),
    "--allowed-role",
    "viewer",
  ];
  return runCommand(["plan", "-f", folder, ...flags, ...offline, ...platformFlags, ...args]);
}

it("writes one folder a group, and reads only", async () => {
  const { code, stdout, stderr } = await run(team);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.replaceAll(folder, "DIR")).toMatchInlineSnapshot(`
    "DIR declares what is in group team (Group: 2, Identity: 1, RoleBinding: 1) in namespace team, with management Observe.

    Files: 7 written, 0 unchanged, 0 removed.
    Next: see what the operator would do with muster plan -f DIR, then kubectl apply -k DIR
    "
  `);
  const shown = Object.entries(content()).map(
    ([path, text]) => `${path}\n${text.replaceAll(/sha256:\w+/g, "sha256:…")}`,
  );
  const uids = new Map<string, string>();
  const text = shown
    .join("\n")
    .replaceAll(
      /\b[0-9a-f]{40}(\/[0-9a-f]{16})*/g,
      (uid) => uids.get(uid) ?? uids.set(uid, `UID${uids.size + 1}`).get(uid) ?? "",
    )
    .replaceAll(/-[0-9a-f]{10}\b/g, "-0123456789")
    // A uid that begins with a digit has quotes.
    .replaceAll(/"(UID\d)"/g, "$1");
  expect(text).toMatchInlineSnapshot(`
    "kustomization.yaml
    # Written by muster import of UID1; the next import replaces it unless it was edited. sha256:…
    apiVersion: kustomize.config.k8s.io/v1beta1
    kind: Kustomization
    resources:
      - namespace.yaml
      - team-0123456789/group-team-0123456789.yaml
      - team-0123456789/shop-0123456789/group-shop-0123456789.yaml
      - team-0123456789/shop-0123456789/identity-ci-0123456789.yaml
      - team-0123456789/shop-0123456789/rolebinding-ci-viewer-0123456789.yaml
      - tenant.yaml

    namespace.yaml
    # Written by muster import of UID1; the next import replaces it unless it was edited. sha256:…
    apiVersion: v1
    kind: Namespace
    metadata:
      name: team

    team-0123456789/group-team-0123456789.yaml
    # Written by muster import of UID1; the next import replaces it unless it was edited. sha256:…
    apiVersion: iam.muster.dev/v1beta1
    kind: Group
    metadata:
      name: team-0123456789
      namespace: team
    spec:
      uid: UID1
      policy:
        management: Observe

    team-0123456789/shop-0123456789/group-shop-0123456789.yaml
    # Written by muster import of UID1; the next import replaces it unless it was edited. sha256:…
    apiVersion: iam.muster.dev/v1beta1
    kind: Group
    metadata:
      name: shop-0123456789
      namespace: team
    spec:
      parentRef:
        name: team-0123456789
      uid: UID2
      name: shop
      policy:
        management: Observe

    team-0123456789/shop-0123456789/identity-ci-0123456789.yaml
    # Written by muster import of UID1; the next import replaces it unless it was edited. sha256:…
    apiVersion: iam.muster.dev/v1beta1
    kind: Identity
    metadata:
      name: ci-0123456789
      namespace: team
    spec:
      groupRef:
        name: shop-0123456789
      uid: UID3
      name: ci
      claimMatch:
        issuer: "https://issuer.example.com"
        subject: ci
      policy:
        management: Observe

    team-0123456789/shop-0123456789/rolebinding-ci-viewer-0123456789.yaml
    # Written by muster import of UID1; the next import replaces it unless it was edited. sha256:…
    apiVersion: iam.muster.dev/v1beta1
    kind: RoleBinding
    metadata:
      name: ci-viewer-0123456789
      namespace: team
    spec:
      groupRef:
        name: shop-0123456789
      identityRef:
        name: ci-0123456789
      roleRef:
        name: viewer
      policy:
        management: Observe

    tenant.yaml
    # Written by muster import of UID1; the next import replaces it unless it was edited. sha256:…
    apiVersion: iam.muster.dev/v1beta1
    kind: Tenant
    metadata:
      name: team
    spec:
      namespaces:
        - team
      groups:
        - UID1
      roles:
        - viewer
      identityTypes:
        - ClaimMatch
      claimIssuers:
        - issuer: "https://issuer.example.com"
          subjectPrefixes:
            - ci
      kinds:
        - Group
        - Identity
        - RoleBinding
    "
  `);
  expect(new Set(gateway.calls.map((call) => call.split(" ")[0]))).toEqual(new Set(["GET"]));
});

it("is what a plan has nothing to do for; adopted, it changes nothing but markers", async () => {
  await run(team);
  expect(await plan()).toMatchObject({ code: 0, stdout: "Plan: nothing to do.\n" });
  await run(team, ["--adopt"]);
  const { code, stdout } = await plan("-o", "json");
  const { changes, refusals } = JSON.parse(stdout) as {
    changes: { action: string; fields: { field: string }[] }[];
    refusals: [];
  };
  expect(code).toBe(2);
  expect(refusals).toEqual([]);
  expect(changes.map(({ action, fields }) => `${action} ${fields.map(({ field }) => field).join()}`)).toEqual([
    "adopt marker",
    "adopt marker",
    "adopt ",
  ]);
});

it("declares roles and identity providers, and says which Secret a person has to make", async () => {
  const { admin, root } = platform;
  const group = await admin.group(root, "login");
  const robot = await admin.identity(group, "robot");
  const role = { name: "lister", capabilities: ["CAP_REPO_LIST"] };
  const { uid: lister } = await admin.ok("POST", `/iam/v2beta1/roles/${group}`, role);
  const viewer = await admin.role("viewer");
  for (const bound of [viewer, lister]) await admin.bind(group, robot, bound);
  const { uid: provider } = await admin.ok("POST", `/iam/v2beta1/identityProviders/${group}`, {
    name: "sso",
    defaultRole: viewer,
    oidc: {
      issuer: "https://www.login.example.com",
      clientId: "muster",
      clientSecret: "planted-secret",
      pkceEnabled: true,
    },
  });
  const { code, objects, secrets } = await report(group);
  expect({ code, objects }).toEqual({
    code: 0,
    objects: { Group: 1, Identity: 1, Role: 1, RoleBinding: 2, IdentityProvider: 1 },
  });
  expect(secrets).toMatchObject([{ provider, namespace: "login", key: "clientSecret" }]);
  expect((await run(group)).stdout).toContain(`make Secret ${secrets[0]?.name}, because the platform never returns`);
  expect((await run(group, ["-o", "markdown"])).stdout).toContain(`\` ${secrets[0]?.commands.join(" && ")} \``);
  expect(await plan()).toMatchObject({ code: 0, stdout: "Plan: nothing to do.\n" });
  await run(group, ["--adopt"]);
  const { changes, refusals } = JSON.parse((await plan("-o", "json")).stdout) as {
    changes: { action: string; resource: { noun: string }; fields: { field: string }[] }[];
    refusals: [];
  };
  expect(refusals).toEqual([]);
  expect(
    changes.map(({ action, resource, fields }) =>
      [action, resource.noun, ...fields.map(({ field }) => field)].join(" "),
    ),
  ).toEqual(expect.arrayContaining(["adopt role marker", "adopt role binding", "adopt identity marker"]));
});

it("declares account associations, that of the group itself among them", async () => {
  const { admin, root } = platform;
  const group = await admin.group(root, "linked");
  const below = await admin.group(group, "below");
  const installations = [{ installationId: "10" }, { installationId: "9", name: "acme" }];
  for (const [uid, accounts] of [
    [group, { amazon: { account: "123456789012" }, azure: { tenantId: "acme", clientIds: { web: "1", ci: "2" } } }],
    [
      below,
      {
        google: { projectId: "acme-shop", projectNumber: "42" },
        github: { appInstallations: { 7: { installations } } },
      },
    ],
  ] as const)
    await admin.ok("POST", `/iam/v2beta1/accountAssociations/${uid}`, { name: "cloud", ...accounts });
  const { code, objects } = await report(group);
  expect({ code, objects }).toEqual({ code: 0, objects: { Group: 2, AccountAssociation: 2 } });
  expect(await plan()).toMatchObject({ code: 0, stdout: "Plan: nothing to do.\n" });
  await run(group, ["--adopt"]);
  const { changes, refusals } = JSON.parse((await plan("-o", "json")).stdout) as {
    changes: { action: string; resource: { noun: string }; fields: { field: string }[] }[];
    refusals: [];
  };
  expect(refusals).toEqual([]);
  expect(
    changes.map(({ action, resource, fields }) => [action, resource.noun, ...fields.map(({ field }) => field)]),
  ).toEqual(
    expect.arrayContaining([
      ["adopt", "group", "marker"],
      ["adopt", "account association", "marker"],
      ["adopt", "account association", "marker"],
    ]),
  );
  const before = content();
  expect((await report(group, ["--adopt"])).files).toMatchObject({ written: 0, removed: [] });
  expect(content()).toEqual(before);
});

it("changes no byte when it runs again", async () => {
  await run(team);
  const before = content();
  const { code, files } = await report(team);
  expect({ code, files }).toEqual({
    code: 0,
    files: { written: 0, unchanged: Object.keys(before).length, removed: [] },
  });
  expect(content()).toEqual(before);
});

it("keeps the names of objects and folders when people rename what they declare", async () => {
  const { admin } = platform;
  const group = await admin.group(platform.root, "renamed");
  const below = await admin.group(group, "first");
  const robot = await admin.identity(below, "first");
  await admin.bind(below, robot, await admin.role("viewer"));
  await run(group, ["-n", "renamed"]);
  const before = Object.keys(content());
  await admin.ok("PATCH", `/iam/v2beta1/groups/${below}?updateMask=name`, { name: "second" });
  await admin.ok("PATCH", `/iam/v2beta1/identities/${robot}?updateMask=name`, { name: "second" });
  const { files } = await report(group, ["-n", "renamed"]);
  expect(files).toMatchObject({ written: 2, removed: [] });
  expect(Object.keys(content())).toEqual(before);
  expect(Object.values(content()).join("")).toContain("name: second");
});

it("keeps what was edited, and says so", async () => {
  await run(team);
  appendFileSync(join(folder, "tenant.yaml"), "# mine\n");
  const { code, kept } = await report(team, ["--adopt"]);
  expect({ code, kept }).toEqual({ code: 3, kept: [{ path: "tenant.yaml", reason: "somebody edited it" }] });
  const { stderr } = await run(team, ["--adopt"]);
  expect(stderr).toBe("muster import: 1 file kept as it is\n");
});

describe("what cannot be declared", () => {
  it("is listed with its reason", async () => {
    const { admin, root } = platform;
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
    expect(listed((await report(group, owned)).exceptions)).toMatchInlineSnapshot(`
      [
        "identity | long | in part | spec.description: must be at most 477 characters: the platform allows 512, and 35 are reserved for the marker by which Muster finds its own resources",
        "role binding | outside viewer | left out | its identity UID is outside of the group, where the Tenant may not use it",
        "role | custom | in part | spec.capabilities: no built-in role that the Tenant lists has CAP_REPO_LIST",
      ]
    `);
    expect(listed((await report(group, ["--adopt", ...owned])).exceptions)).toMatchInlineSnapshot(`
      [
        "group | theirs | observed | it carries the marker of another owner",
        "identity | long | observed | spec.description: must be at most 477 characters: the platform allows 512, and 35 are reserved for the marker by which Muster finds its own resources",
        "identity | powerful | observed | it holds the role viewer in UID, which the Tenant may not bind",
        "role binding | outside viewer | left out | its identity UID is outside of the group, where the Tenant may not use it",
        "role | custom | observed | spec.capabilities: no built-in role that the Tenant lists has CAP_REPO_LIST",
      ]
    `);
    const { code, stderr } = await run(group, ["--kubeconfig", join(home, "missing")]);
    expect(code).toBe(1);
    expect(stderr).toContain("import has to know which one is yours: set --owner-id, or --kubeconfig");
  });

  it("includes invites, whose codes nobody can read", async () => {
    const { admin, root } = platform;
    const group = await admin.group(root, "invited");
    const invite = { roleUid: await admin.role("viewer"), email: "ada@example.com", ttl: "3600s" };
    const { uid } = await admin.ok("POST", `/iam/v2beta1/groupInvites/${group}`, invite);
    const { code, exceptions } = await report(group);
    expect(code).toBe(3);
    expect(exceptions).toEqual([
      { noun: "invite", uid, outcome: "left out", reason: expect.stringContaining("unless a GroupInvite made it") },
    ]);
  });

  it("includes what the caller may not see, and a folder never loses it", async () => {
    const stranger = await platform.callerWith("registry.pull", team);
    const { code, unseen, objects } = await report(team, [], stranger.token);
    expect({ code, objects }).toEqual({ code: 3, objects: { Group: 2 } });
    expect(unseen.map(({ capability }) => capability)).toContain("CAP_IAM_IDENTITY_LIST");
    await run(team);
    const before = content();
    const again = await run(team, [], stranger.token);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("that you may not list, such as team-");
    expect(content()).toEqual(before);
  });
});

it.each([
  [["--adopt", "--management", "Observe"], "--adopt manages what exists: leave out --management Observe"],
  [["--management", "Some"], "--management"],
  [["--namespace", "A"], "--namespace"],
])("refuses the settings %j", async (args, mistake) => {
  const { code, stderr } = await run(team, args);
  expect(code).toBe(2);
  expect(stderr).toContain(mistake);
});

it("needs a namespace for a group whose name is not one", async () => {
  const group = await platform.admin.group(platform.root, "kube-system");
  const { code, stderr } = await run(group);
  expect(code).toBe(2);
  expect(stderr).toContain("--namespace (-n) is required");
});

it("says that a group does not exist, with the exit code of NOT_FOUND", async () => {
  const { code, stderr } = await run(`${team}/0123456789abcdef`);
  expect(stderr).toContain(`--group: you can read no group with the uid ${team}/0123456789abcdef`);
  expect(stderr).toContain("muster api GET /iam/v2beta1/groups");
  expect(code).toBe(15);
});
