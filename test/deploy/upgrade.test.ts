import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { describeWithBareControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { isEstablished } from "#test/support/harness/custom-resource-definitions.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";
import { MusterProcess } from "#test/support/harness/muster-process.ts";
import { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import { helm, release, renderChart } from "./helm.ts";
import { runWorkload } from "./run-workload.ts";
import { Workload } from "./workload.ts";

interface Created {
  readonly uid: string;
}

/** What the operator and the platform of ba09ef5 had made of its `examples/`. */
interface State {
  readonly rootGroup: string;
  readonly issuer: string;
  readonly ownerId: string;
  readonly objects: readonly KubeObject[];
  readonly platform: {
    readonly groups: readonly (Created & { readonly name: string; readonly description: string })[];
    readonly identities: readonly (Created & { readonly name: string; readonly claimMatch: object })[];
    readonly roleBindings: readonly (Created & { readonly identityUid: string; readonly roleUid: string })[];
  };
}

const parentOf = (uid: string) => uid.slice(0, uid.lastIndexOf("/"));
const fixture = (name: string) => readFile(new URL(`fixtures/ba09ef5/${name}`, import.meta.url), "utf8");
const documents = (text: string) => parseAllDocuments(text).map((one) => one.toJS() as KubeObject);

describeWithBareControlPlane("an upgrade of an installation of ba09ef5 with the charts", (controlPlane) => {
  let folder = "";
  let platform: PlatformProcess;
  let platformUrl = "";
  let adminTokenFile = "";
  let state: State;
  let operator: MusterProcess | undefined;
  const cluster = () => ["--kubeconfig", controlPlane().kubeconfigFile, "--namespace", release.namespace];
  const values = () => ({
    replicas: 1,
    settings: { platformUrl, allowedRole: ["viewer", "editor", "registry.pull"] },
    settingsFrom: ["muster-identity"],
  });

  beforeAll(async () => {
    const { admin, url } = controlPlane();
    folder = await mkdtemp(join(tmpdir(), "muster-upgrade-"));
    adminTokenFile = join(folder, "admin-token");
    const text = await fixture("state.json");
    const recorded = JSON.parse(text.replaceAll((JSON.parse(text) as State).issuer, url)) as State;

    // The uid of the root group is chosen; the platform assigns the others, which therefore differ from the recorded ones.
    await writeFile(join(folder, "init.json"), JSON.stringify({ rootGroup: { uid: recorded.rootGroup } }));
    platform = new PlatformProcess(
      [
        "--data",
        join(folder, "platform.db"),
        "--admin-token-file",
        adminTokenFile,
        "--init-file",
        join(folder, "init.json"),
      ],
      { env: { MUSTER_TRUSTED_ISSUER: `${url},ca=${controlPlane().caFile}` } },
    );
    platformUrl = (await platform.listening()).baseUrl;
    const api = new PlatformAdmin(platformUrl, (await readFile(adminTokenFile, "utf8")).trim());
    const uids = new Map([[recorded.rootGroup, recorded.rootGroup]]);
    const current = (uid: string) => uids.get(uid) ?? uid;
    for (const [collection, resources] of Object.entries(recorded.platform))
      for (const { uid, ...resource } of resources) {
        const body = JSON.parse(JSON.stringify(resource), (key, value) =>
          key.endsWith("Uid") ? current(value) : value,
        );
        const created = await api.create(collection as "groups", current(parentOf(uid)), body);
        uids.set(uid, created.uid);
      }
    const longestFirst = [...uids].toSorted(([one], [other]) => other.length - one.length);
    const translated = longestFirst.reduce(
      (json, [old, uid]) => json.replaceAll(`"${old}"`, `"${uid}"`),
      JSON.stringify(recorded),
    );
    state = JSON.parse(translated) as State;

    const definitions = documents(await fixture("crds.yaml"));
    for (const object of definitions) await admin.apply(object, { fieldManager: "kubectl" });
    for (const object of definitions) await admin.waitFor(object, isEstablished);
    for (const object of documents(await fixture("manifests.yaml")))
      await admin.apply(object, { fieldManager: "kubectl" });
    for (const object of state.objects) {
      await admin.create(object);
      await admin.patch(object, { status: object["status"] }, "status");
    }
  });
  afterAll(async () => {
    await operator?.kill();
    await platform.kill();
    await rm(folder, { recursive: true });
  });

  async function uidsOnPlatform(): Promise<readonly string[]> {
    const api = new PlatformAdmin(platformUrl, (await readFile(adminTokenFile, "utf8")).trim());
    const lists = await Promise.all((["groups", "identities", "roleBindings"] as const).map((one) => api.list(one)));
    return lists
      .flat()
      .map(({ uid }) => uid)
      .toSorted();
  }

  it("bootstrap finds the operator's identity, records the owner, and prints a Tenant", async () => {
    const { admin, url } = controlPlane();
    const before = await uidsOnPlatform();
    const flags = ["--platform-url", platformUrl, "--admin-token-file", adminTokenFile, "--issuer", url];
    const roles = ["viewer", "editor", "registry.pull"].flatMap((role) => ["--tenant-role", role]);
    const tenant = [
      "--tenant-namespace",
      "shop",
      ...roles,
      "--tenant-issuer",
      "https://token.actions.githubusercontent.com",
    ];
    const bootstrap = new MusterProcess(["bootstrap", ...flags, "--owner-id", state.ownerId, ...tenant]);
    await bootstrap.ended;
    expect(bootstrap.exitCode, bootstrap.plainOutput).toBe(0);
    expect(await uidsOnPlatform()).toEqual(before);

    await expect(helm(["install", "muster-crds", "muster-crds", ...cluster()])).rejects.toThrow("cannot be imported");
    await helm(["install", "muster-crds", "muster-crds", ...cluster(), "--take-ownership", "--force-conflicts"]);
    for (const definition of await renderChart("muster-crds")) await admin.waitFor(definition, isEstablished);
    for (const object of documents(bootstrap.plainOutput)) await admin.apply(object);
  });

  it("the chart takes the objects over, and makes them what a new installation has", async () => {
    const { admin } = controlPlane();
    const account = await admin.get({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { ...release, name: "muster-operator" },
    });
    await helm(["install", release.name, "muster", ...cluster(), "--take-ownership", "--force-conflicts"], values());

    // Tokens and the identity's claims name the account: it is the same one.
    expect((await admin.get(account)).metadata.uid).toBe(account.metadata.uid);
    const manifest = documents(await helm(["get", "manifest", release.name, ...cluster()]));
    for (const object of manifest) {
      const upgraded = await admin.get(object);
      const name = `${object.metadata.name.slice(0, 40)}-new`;
      const fresh = await admin.create({ ...object, metadata: { ...object.metadata, name } }, { dryRun: true });
      const comparable = ({ spec, rules, data, webhooks, roleRef, subjects }: KubeObject) =>
        JSON.parse(
          JSON.stringify({ spec, rules, data, webhooks, roleRef, subjects }).replaceAll(
            /"clusterIPs?":("[^"]*"|\[[^\]]*\])/g,
            '"ip":0',
          ),
        );
      expect(comparable(upgraded), `${object.kind} ${object.metadata.name}`).toEqual(comparable(fresh));
    }
  });

  it("nothing is lost or created twice on the platform", async () => {
    const { admin } = controlPlane();
    const before = await uidsOnPlatform();
    const parts = await Promise.all(
      ["manifest", "hooks"].map((part) => helm(["get", part, release.name, ...cluster()])),
    );
    const identity = await admin.get({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { ...release, name: "muster-identity" },
    });
    const deployed = new Workload(
      [...parts.flatMap(documents), { ...identity, kind: "ConfigMap" }],
      "Deployment",
      "muster-operator",
    );
    const env = { MUSTER_LISTEN: "127.0.0.1:0" };
    operator = await runWorkload(deployed, { controlPlane: controlPlane(), folder, env });
    for (const object of state.objects) {
      const served = await admin.waitFor(object, (one) => isReady(one) && one?.["status"].tenant === "default");
      expect(served?.["status"].uid, object.metadata.name).toBe(object["status"].uid);
    }
    expect(await uidsOnPlatform()).toEqual(before);

    // An edit reaches the platform, and a deletion removes what the earlier version created.
    const [edited] = state.objects.filter(({ kind, metadata }) => kind === "Group" && metadata.name === "checkout") as [
      KubeObject,
    ];
    await admin.patch(edited, { spec: { description: "edited" } });
    await admin.waitFor(edited, isReady);
    for (const object of state.objects) await admin.delete(object);
    for (const object of state.objects) await admin.waitUntilGone(object);
    const removed = state.objects.map((object): string => object["status"].uid);
    expect(await uidsOnPlatform()).toEqual(before.filter((uid) => !removed.includes(uid)));
  });
});
