import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { manifests } from "#test/deploy/kustomize.ts";
import { imageValues, operatorNamespace, runLabelledPod } from "#test/node/try-out.ts";
import { isReady, musterObject } from "#test/support/harness/muster-objects.ts";
import { describeWithTarget } from "./describe-with-target.ts";
import { ExternalPlatform } from "./external-platform.ts";
import { kubectl } from "./kubectl.ts";
import { createRestricted, removeDefinitions, removeNamespace } from "./restricted-namespace.ts";

/** The command with which docs/operate/uninstall.md deletes all objects. */
const deleteObjects = [
  "delete",
  ["groups", "identities", "roles", "rolebindings", "identityproviders", "accountassociations", "groupinvites"]
    .map((plural) => `${plural}.iam.muster.dev`)
    .join(),
  "--all",
  "--all-namespaces",
];

describeWithTarget("the manifests for Kustomize", (target) => {
  let folder = "";
  const run = (...args: readonly string[]) => kubectl(target(), args);
  const shipped = (name: string) => relative(folder, join(manifests, name));
  const ready = (what: string, namespace: string) =>
    run("rollout", "status", what, "--namespace", namespace, "--timeout=100s");

  /** A folder with the resource and the image of the tested cluster. */
  async function overlay(resource: string, more: object = {}): Promise<string> {
    const { image: { repository, tag, digest } = { repository: "muster", tag: "0.1.0" } } = imageValues(target().image);
    const images = [{ name: "muster", newName: repository, newTag: tag, digest }];
    await writeFile(
      join(folder, "kustomization.yaml"),
      stringify({ resources: [shipped(resource)], images, ...more }, { aliasDuplicateObjects: false }),
    );
    return folder;
  }

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "muster-e2e-overlay-")));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  describe.each(["try-out", "try-out-with-admission-policy"])("overlays/%s", (name) => {
    const path = `overlays/${name}`;
    const applied = () => (target().image === undefined ? `deploy/kustomize/${path}` : overlay(path));

    it("is applied directly after the CRDs, and makes the examples Ready", async () => {
      await run("apply", "-f", "crds/");
      await run("apply", "-k", await applied());
      await ready("statefulset/platform", "muster-platform");
      await ready("deployment/muster-operator", operatorNamespace);
      await run("apply", "-f", "examples/");
      await run("wait", "--for=condition=Ready", "--timeout=90s", "--namespace", "shop", "muster", "--all");
      if (name.endsWith("policy")) expect(await runLabelledPod(target(), "kustomized")).toBe("200 checkout production");
    });

    it("is deleted as docs/operate/uninstall.md says", async () => {
      if (name.endsWith("policy"))
        await run("delete", "mutatingadmissionpolicybinding,mutatingadmissionpolicy", "muster-finalizer");
      await run(...deleteObjects);
      await run("delete", "tenants.iam.muster.dev", "--all");
      await run("delete", "-k", await applied(), "--ignore-not-found");
      await removeDefinitions(target().admin);
      expect(
        await run(
          "get",
          "clusterrole,clusterrolebinding,validatingadmissionpolicy,mutatingadmissionpolicy",
          "--output=name",
        ),
      ).not.toContain("/muster");
    });
  });

  it("base has a place in an overlay that reads what muster bootstrap prints", async () => {
    const { admin } = target();
    await createRestricted(admin, "external");
    await createRestricted(admin, "shop");
    const platform = await ExternalPlatform.start(target(), "external");
    await run("apply", "-f", "crds/");
    await overlay("base", {
      components: [shipped("components/bootstrap-identity"), shipped("components/network-policy")],
      configMapGenerator: [
        {
          name: "muster-settings",
          namespace: operatorNamespace,
          behavior: "merge",
          literals: [`MUSTER_PLATFORM_URL=${platform.url}`, "MUSTER_ALLOWED_ROLE=viewer"],
        },
      ],
    });
    await run("apply", "-k", folder);
    const keys = "--clusterrole=system:service-account-issuer-discovery";
    await run("create", "clusterrolebinding", "public-token-keys", keys, "--group=system:unauthenticated");
    const { manifests: printed, settings } = await platform.bootstrap(
      "--owner-id",
      "e2e",
      "--tenant-namespace",
      "shop",
    );
    await kubectl(target(), ["apply", "-f", "-"], { input: printed });
    await ready("deployment/muster-operator", operatorNamespace);
    const group = musterObject("Group", "shop", "shop", { parentUid: settings["MUSTER_ROOT_GROUP"] });
    await admin.apply(group);
    await admin.waitFor(group, isReady, { timeoutMs: 60_000 });

    await run(...deleteObjects);
    await run("delete", "tenants.iam.muster.dev", "--all");
    await run("delete", "-k", folder, "--ignore-not-found");
    await run("delete", "clusterrolebinding", "public-token-keys");
    for (const name of ["external", "shop"]) await removeNamespace(admin, name);
    await removeDefinitions(admin);
  });
});
