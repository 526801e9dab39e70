import { join } from "node:path";
import { expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import type { ImportReport } from "#src/commands/import/import-report.ts";
import { kustomize } from "#test/deploy/kustomize.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { allowedRoles } from "#test/support/harness/system.ts";

describeWithSystem("an import with a cluster and a platform", (system) => {
  let group = "";
  const folder = () => join(system().folder, "imported");

  async function run(command: "import" | "plan", ...args: readonly string[]) {
    const { platformUrl, controlPlane } = system();
    const settings = {
      "--kubeconfig": controlPlane.kubeconfigFile,
      "--platform-url": platformUrl,
      "--token-file": system().adminTokenFile,
    };
    const { code, stdout, stderr } = await runCommand([
      command,
      ...Object.entries(settings).flat(),
      "-o",
      "json",
      ...args,
    ]);
    expect(stdout, stderr).not.toBe("");
    return { code, ...(JSON.parse(stdout) as ImportReport) };
  }
  const runImport = (...args: readonly string[]) =>
    run("import", "--group", group, "--dir", folder(), "--namespace", "imported", ...args);

  async function applyAll(): Promise<void> {
    const manifests = await kustomize(folder());
    for (const object of manifests) await system().controlPlane.admin.apply(object);
    const own = manifests.filter(({ kind }) => kind !== "Namespace" && kind !== "Tenant");
    expect(own).toHaveLength(5);
    for (const object of own) await system().ready(object);
  }

  /** What exists in the group, and when it was changed. */
  async function resources() {
    const collections = ["groups", "identities", "roleBindings", "accountAssociations"] as const;
    const lists = collections.map(async (collection) =>
      (await system().admin.list(collection, group)).map((resource) => ({ collection, resource })),
    );
    return (await Promise.all(lists)).flat();
  }

  it("observes without a write, and adopts with one for each resource with a marker", async () => {
    const { admin, root } = system();
    group = (await admin.create("groups", root, { name: "team", description: "by hand" })).uid;
    const shop = (await admin.create("groups", group, { name: "shop.prod_1", description: "sells \u202e things" })).uid;
    const { uid: identityUid } = await admin.create("identities", shop, {
      name: "1e3",
      claimMatch: { issuer: "https://issuer.example", subject: "yes", claims: { on: "no" } },
    });
    const viewer = (await admin.list("roles")).find(({ name }) => name === "viewer")?.uid;
    await admin.create("roleBindings", shop, { identityUid, roleUid: viewer });
    await admin.create("accountAssociations", shop, {
      name: "cloud",
      google: { projectId: "1e3", projectNumber: "42" },
      azure: { tenantId: "acme", clientIds: { yes: "no" } },
      github: { appInstallations: { 7: { installations: [{ installationId: "9", name: "acme" }] } } },
    });

    const before = await resources();
    expect(await runImport()).toMatchObject({ code: 0, exceptions: [] });
    await applyAll();
    expect(await resources()).toEqual(before);

    expect(await runImport("--adopt")).toMatchObject({ code: 0, exceptions: [] });
    await applyAll();
    const after = await resources();
    const timeIn = (lists: typeof after, { collection, resource: { uid } }: (typeof after)[number]) =>
      lists.find((one) => one.collection === collection && one.resource.uid === uid)?.resource["updateTime"];
    const changed = after.filter((one) => timeIn(before, one) !== timeIn(after, one)).map(({ resource }) => resource);
    expect(changed.map(({ uid, description }) => [uid, /\[muster:\w+\+\w+\]$/.test(description)])).toEqual([
      [shop, true],
      [identityUid, true],
      // The association has the uid of its group.
      [shop, true],
    ]);
    const uidsOf = (lists: typeof after) => lists.map(({ resource }) => resource.uid);
    expect(uidsOf(after)).toEqual(uidsOf(before));
    expect(await runImport("--adopt")).toMatchObject({ code: 0, exceptions: [], files: { written: 0, removed: [] } });
    const flags = ["--identity", system().identity, "--root-group", root];
    const roles = allowedRoles.flatMap((role) => ["--allowed-role", role]);
    expect(await run("plan", "-f", folder(), ...flags, ...roles)).toMatchObject({ code: 0 });
  });
});
