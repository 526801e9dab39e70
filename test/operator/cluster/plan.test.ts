import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import type { Plan } from "#src/plan/plan.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import { allowedRoles } from "#test/support/harness/system.ts";

describeWithSystem("a plan with a cluster and a platform", (system) => {
  const group = (description: string) =>
    musterObject("Group", "team", "shop", { parentUid: system().root, description });
  const binding = musterObject("RoleBinding", "team", "ci-views", {
    groupRef: { name: "shop" },
    identityRef: { name: "ci" },
    roleRef: { name: "viewer" },
  });
  const tree = () => [
    group("The web shop"),
    musterObject("Identity", "team", "ci", {
      groupRef: { name: "shop" },
      claimMatch: { issuer: "https://issuer.example", subject: "ci" },
    }),
    binding,
  ];

  async function plan(...args: readonly string[]): Promise<Plan & { readonly code: number }> {
    const { platformUrl, root, identity, folder, controlPlane } = system();
    const settings = {
      "--kubeconfig": controlPlane.kubeconfigFile,
      "--platform-url": platformUrl,
      "--token-file": join(folder, "person"),
      "--identity": identity,
      "--root-group": root,
    };
    const flags = [...Object.entries(settings).flat(), ...allowedRoles.flatMap((role) => ["--allowed-role", role])];
    const { code, stdout, stderr } = await runCommand(["plan", ...flags, "-o", "json", ...args]);
    expect(stdout, stderr).not.toBe("");
    return { code, ...(JSON.parse(stdout) as Plan) };
  }

  async function write(name: string, objects: readonly object[]): Promise<string> {
    const file = join(system().folder, name);
    await writeFile(file, objects.map((object) => JSON.stringify(object)).join("\n---\n"));
    return file;
  }

  const actions = ({ changes }: Plan) => changes.map(({ action, object }) => `${action} ${object.kind}`);

  beforeAll(async () => {
    const { folder, platformUrl, identity } = system();
    const subjectToken = await readFile(join(folder, "token-0"), "utf8");
    const query = new URLSearchParams({ aud: platformUrl, identity });
    const response = await fetch(`${platformUrl}/sts/exchange?${query.toString()}`, {
      headers: { authorization: `Bearer ${subjectToken}` },
    });
    const { token } = (await response.json()) as { token: string };
    system().secrets.push(token);
    await writeFile(join(folder, "person"), token, { mode: 0o600 });
  });

  it("announces what is created, then nothing, then an edit and a deletion", async () => {
    const file = await write("tree.yaml", tree());
    const planned = await plan("-f", file);
    expect(planned).toMatchObject({ code: 2, refusals: [], unproven: [] });
    expect(actions(planned)).toEqual(["create Group", "create Identity", "create RoleBinding"]);

    for (const object of tree()) await system().controlPlane.admin.apply(object);
    for (const object of tree()) await system().ready(object);
    expect(await plan("-f", file)).toEqual({ code: 0, changes: [], refusals: [], unproven: [] });
    expect(await plan("--live")).toEqual({ code: 0, changes: [], refusals: [], unproven: [] });

    const edited = await plan("-f", await write("edited.yaml", [group("Sells things")]));
    expect(edited).toMatchObject({
      code: 2,
      changes: [{ action: "update", fields: [{ field: "description", from: "The web shop", to: "Sells things" }] }],
    });
    const deleted = await plan("--delete", "-f", file);
    expect(deleted.code).toBe(2);
    expect(actions(deleted)).toEqual(["delete RoleBinding", "delete Identity", "delete Group"]);
    const namespace = await write("namespace.yaml", [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } },
    ]);
    expect(await plan("--delete", "-f", namespace)).toEqual(deleted);
  });

  it("keeps what a person edited and the file does not name, as the API server does", async () => {
    const { admin } = system().controlPlane;
    const { description: _, ...spec } = group("").spec as Readonly<Record<string, unknown>>;
    const own = { ...group(""), metadata: { name: "office", namespace: "team" }, spec };
    const labelled = { ...own, metadata: { ...own.metadata, labels: { team: "a" } } };
    const file = await write("office.yaml", [own]);
    await admin.apply(labelled);
    await system().ready(own);
    await admin.patch(own, { spec: { description: "Edited", policy: { deletion: "Orphan" } } });
    await system().ready(own);
    expect(await plan("-f", file)).toEqual({ code: 0, changes: [], refusals: [], unproven: [] });
    const applied = await admin.apply(own);
    expect(applied).toMatchObject({ spec: { description: "Edited", policy: { deletion: "Orphan" } } });
    expect(applied.metadata.labels ?? {}).toEqual({});
    const changed = await write("office.yaml", [{ ...own, spec: { ...spec, description: "From the file" } }]);
    expect(await plan("-f", changed)).toMatchObject({
      changes: [{ action: "update", fields: [{ field: "description", from: "Edited", to: "From the file" }] }],
    });
  });
});
