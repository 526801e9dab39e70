import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kustomize, manifests } from "./kustomize.ts";

describe("the overlays of deploy/README.md", () => {
  let folder = "";
  let blocks: readonly string[] = [];

  beforeAll(async () => {
    const page = await readFile(join(manifests, "../README.md"), "utf8");
    blocks = [...page.matchAll(/^( *)```yaml\n(.*?)^ *```/gms)].map(([, indent = "", block = ""]) =>
      block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    );
    folder = await realpath(await mkdtemp(join(tmpdir(), "muster-readme-")));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function build(name: string, overlay: string) {
    const path = join(folder, name);
    await mkdir(path);
    const shipped = relative(path, manifests);
    await writeFile(join(path, "kustomization.yaml"), overlay.replaceAll("../../", `${shipped}/`));
    return kustomize(path);
  }
  const deploymentOf = (objects: Awaited<ReturnType<typeof kustomize>>) =>
    objects.find(({ kind }) => kind === "Deployment")?.spec.template.spec.containers[0];

  it("give the operator its settings, and those that bootstrap prints", async () => {
    const [overlay = ""] = blocks;
    const objects = await build("operator", overlay);
    const settings = objects.find(({ metadata: { name } }) => name.startsWith("muster-settings"));
    expect(settings?.["data"]).toMatchObject({
      MUSTER_PLATFORM_URL: "https://platform.example.com",
      MUSTER_ALLOWED_ROLE: "viewer",
    });
    const { image, envFrom } = deploymentOf(objects);
    expect(image).toBe("registry.example.com/muster:0.1.0");
    expect(envFrom).toEqual([
      { configMapRef: { name: settings?.metadata.name } },
      { configMapRef: { name: "muster-identity" } },
    ]);
  });

  it("give a second operator names, labels and a ConfigMap of its own", async () => {
    const [overlay = "", second = ""] = blocks;
    const objects = await build("second", `${overlay}\n${second}`);
    expect(deploymentOf(objects).envFrom).toContainEqual({ configMapRef: { name: "muster-identity-blue" } });
    const deployment = objects.find(({ kind }) => kind === "Deployment");
    expect(deployment?.metadata.name).toBe("muster-operator-blue");
    expect(deployment?.spec.selector.matchLabels["app.kubernetes.io/name"]).toBe("muster-blue");
  });

  it("add the service account of a Tenant", async () => {
    const objects = await build("tenant", blocks[2] ?? "");
    expect(objects.map(({ kind, metadata: { name } }) => `${kind} ${name}`)).toContain(
      "ServiceAccount muster-tenant-shop",
    );
  });
});
