import { appendFileSync, copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ImportingPlatform } from "./importing-platform.testing.ts";

const at = ImportingPlatform.forTests();

it("writes one folder a group, and reads only", async () => {
  const { code, stdout, stderr } = await at.world.run(at.world.team);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.replaceAll(at.world.folder, "DIR")).toMatchInlineSnapshot(`
    "DIR declares what is in group team (Group: 2, Identity: 1, RoleBinding: 1) in namespace team, with management Observe.

    Files: 7 written, 0 unchanged, 0 removed.
    The cluster was not read: --no-cluster is set. What its objects declare already has a second object here, unless it carries a marker.
    Next: see what the operator would do with muster plan -f DIR, then kubectl apply -k DIR
    "
  `);
  const shown = Object.entries(at.world.content()).map(
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
          subjects:
            - ci
      kinds:
        - Group
        - Identity
        - RoleBinding
    "
  `);
  expect(new Set(at.world.gateway.calls.map((call) => call.split(" ")[0]))).toEqual(new Set(["GET"]));
});

it("is what a plan has nothing to do for; adopted, it changes nothing but markers", async () => {
  await at.world.run(at.world.team);
  expect(await at.world.plan()).toMatchObject({ code: 0, stdout: "Plan: nothing to do.\n" });
  await at.world.run(at.world.team, ["--adopt"]);
  expect((await at.world.plan()).code).toBe(2);
  expect(await at.world.plannedChanges()).toEqual([
    "adopt group marker",
    "adopt identity marker",
    "adopt role binding",
  ]);
});

it("changes no byte when it runs again", async () => {
  await at.world.run(at.world.team);
  const before = at.world.content();
  const { code, files } = await at.world.report(at.world.team);
  expect({ code, files }).toEqual({
    code: 0,
    files: { written: 0, unchanged: Object.keys(before).length, removed: [] },
  });
  expect(at.world.content()).toEqual(before);
});

it("keeps the names of objects and folders when people rename what they declare", async () => {
  const { admin } = at.world.platform;
  const group = await admin.group(at.world.platform.root, "renamed");
  const below = await admin.group(group, "first");
  const robot = await admin.identity(below, "first");
  await admin.bind(below, robot, await admin.role("viewer"));
  await at.world.run(group, ["-n", "renamed"]);
  const before = Object.keys(at.world.content());
  await admin.ok("PATCH", `/iam/v2beta1/groups/${below}?updateMask=name`, { name: "second" });
  await admin.ok("PATCH", `/iam/v2beta1/identities/${robot}?updateMask=name`, { name: "second" });
  const { files } = await at.world.report(group, ["-n", "renamed"]);
  expect(files).toMatchObject({ written: 2, removed: [] });
  expect(Object.keys(at.world.content())).toEqual(before);
  expect(Object.values(at.world.content()).join("")).toContain("name: second");
});

it("keeps what was edited, and says so", async () => {
  await at.world.run(at.world.team);
  appendFileSync(join(at.world.folder, "tenant.yaml"), "# mine\n");
  const { code, kept } = await at.world.report(at.world.team, ["--adopt"]);
  expect({ code, kept }).toEqual({ code: 3, kept: [{ path: "tenant.yaml", reason: "somebody edited it" }] });
  const { stderr } = await at.world.run(at.world.team, ["--adopt"]);
  expect(stderr).toBe("muster import: 1 file kept as it is\n");
});

it("prints no control character of the name of a file", async () => {
  await at.world.run(at.world.team);
  const copied = join(at.world.folder, "\u001b[2J.yaml");
  copyFileSync(join(at.world.folder, "tenant.yaml"), copied);
  const removed = await at.world.report(at.world.team);
  expect(removed.files.removed).toEqual(["\ufffd[2J.yaml"]);
  copyFileSync(join(at.world.folder, "tenant.yaml"), copied);
  appendFileSync(copied, "# mine\n");
  const { stdout } = await at.world.run(at.world.team);
  expect(stdout).toContain("Kept: \ufffd[2J.yaml: somebody edited it");
});

it.each([
  [["--adopt", "--management", "Observe"], "--adopt manages what exists: leave out --management Observe"],
  [["--management", "Some"], "--management"],
  [["--namespace", "A"], "--namespace"],
])("refuses the settings %j", async (args, mistake) => {
  const { code, stderr } = await at.world.run(at.world.team, args);
  expect(code).toBe(2);
  expect(stderr).toContain(mistake);
});

it("needs a namespace for a group whose name is not one", async () => {
  const group = await at.world.platform.admin.group(at.world.platform.root, "kube-system");
  const { code, stderr } = await at.world.run(group);
  expect(code).toBe(2);
  expect(stderr).toContain("--namespace (-n) is required");
});

it("keeps the namespace of the earlier import into the folder, and refuses another", async () => {
  await at.world.run(at.world.team, ["--namespace", "payments"]);
  const before = at.world.content();
  const { code, stderr } = await at.world.run(at.world.team, ["--namespace", "billing"]);
  expect(code).toBe(2);
  expect(stderr).toContain("has an import into the namespace payments, whose objects would lose their files");
  expect((await at.world.run(at.world.team)).stdout).toContain("0 written, 7 unchanged, 0 removed");
  expect(at.world.content()).toEqual(before);
});

it.each<[string, (file: string) => void]>([
  ["removed", (file) => rmSync(file)],
  ["made something else of", (file) => writeFileSync(file, `${readFileSync(file, "utf8").split("\n")[0]}\n- 1\n`)],
])("keeps the namespace of the earlier import where somebody %s the file of the Namespace", async (_, change) => {
  await at.world.run(at.world.team, ["--namespace", "payments"]);
  change(join(at.world.folder, "namespace.yaml"));
  const { code, stderr } = await at.world.run(at.world.team, ["--namespace", "billing"]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("into the namespace payments") });
  const { stdout } = await at.world.run(at.world.team);
  expect(stdout).toContain("in namespace payments");
  expect(stdout).toContain("6 unchanged, 0 removed");
});

it("says that a group does not exist, with the exit code of NOT_FOUND", async () => {
  const { code, stderr } = await at.world.run(`${at.world.team}/0123456789abcdef`);
  expect(stderr).toContain(`--group: you can read no group with the uid ${at.world.team}/0123456789abcdef`);
  expect(stderr).toContain("muster api GET /iam/v2beta1/groups");
  expect(code).toBe(15);
});

it("takes the name or the path of a group, if it is unique", async () => {
  const { admin, root } = at.world.platform;
  const twins = await admin.group(root, "twins");
  for (const name of ["one", "two"]) await admin.group(await admin.group(twins, name), "web");
  expect((await at.world.report("team/shop", ["-n", "shop"])).group).toEqual({ uid: at.world.shop, name: "shop" });
  const ambiguous = await at.world.run("web", ["-n", "web"]);
  expect(ambiguous.code).toBe(1);
  expect(ambiguous.stderr).toMatch(
    /--group: 2 are called "web"; give the path, or the uid, of one of them:\n {2}\S*twins\/one\/web {2}\S+\n {2}\S*twins\/two\/web/,
  );
  const unknown = await at.world.run("shopp", ["-n", "web"]);
  expect(unknown.stderr).toContain('--group: there is no group "shopp" that you can read; did you mean "shop"?');
});

it("names the folder, and what to do, if the file system fails", async () => {
  const file = join(at.world.home, "file");
  appendFileSync(file, "a file");
  at.world.folder = join(file, "below");
  const { code, stderr } = await at.world.run(at.world.team);
  expect(stderr).toMatch(/--dir: .*file\/below cannot be used: ENOTDIR: .*\. Correct that, and import again: /);
  expect(code).toBe(1);
});
