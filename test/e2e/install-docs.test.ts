import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Fence, parsePage } from "#scripts/docs/page-parser.ts";
import { helm } from "#test/deploy/helm.ts";
import { buildDeployTools } from "#test/support/deploy-tools/build.ts";
import { imageValues, operatorNamespace } from "#test/node/try-out.ts";
import { isReady, musterObject } from "#test/support/harness/muster-objects.ts";
import { describeWithTarget } from "./describe-with-target.ts";
import { ExternalPlatform } from "./external-platform.ts";
import { kubectl } from "./kubectl.ts";
import { createRestricted, removeDefinitions, removeNamespace } from "./restricted-namespace.ts";

const run = promisify(execFile);
const path = "docs/operate/install-with-helm.md";

describeWithTarget(`the steps of ${path}`, (target) => {
  let folder = "";
  let steps: readonly Fence[] = [];
  let values = "";
  let platform: ExternalPlatform;

  /** Runs the commands of a step in a folder of the test, with programs that name the cluster and the platform's pod. */
  async function follow(step: string, changes: Readonly<Record<string, string>> = {}): Promise<string> {
    const found = steps.find(({ code }) => code.includes(step));
    if (found === undefined) throw new Error(`${path}: no step has ${step}`);
    const code = Object.entries(changes).reduce((text, [from, to]) => text.replaceAll(from, to), found.code);
    const { stdout } = await run("bash", ["-euc", code], {
      cwd: folder,
      env: { ...process.env, PATH: [join(folder, "bin"), process.env["PATH"]].join(delimiter) },
    });
    return stdout;
  }

  async function program(name: string, command: readonly string[]): Promise<void> {
    const file = join(folder, "bin", name);
    await writeFile(file, `#!/bin/sh\nexec ${command.join(" ")} "$@"\n`);
    await chmod(file, 0o755);
  }

  beforeAll(async () => {
    const { admin, kubectlFlags, helmFlags } = target();
    folder = await mkdtemp(join(tmpdir(), "muster-e2e-docs-"));
    steps = parsePage({ path, text: await readFile(path, "utf8"), page: "" }).fences;
    await mkdir(join(folder, "bin"));
    const { stdout: real } = await run("sh", ["-c", "command -v kubectl"]);
    await program("kubectl", [real.trim(), ...kubectlFlags]);
    await program("helm", [await buildDeployTools(), "helm", ...helmFlags]);
    await program("muster", ["kubectl", "exec", "--namespace=external", "deployment/platform", "--", "muster"]);
    await run("ln", ["-s", join(import.meta.dirname, "../../deploy"), join(folder, "deploy")]);
    for (const name of ["external", "shop"]) await createRestricted(admin, name);
  });
  afterAll(async () => {
    const { admin, helmFlags } = target();
    for (const name of ["muster", "muster-crds"])
      await helm(["uninstall", name, "--namespace", operatorNamespace, ...helmFlags]);
    await kubectl(target(), ["delete", "clusterrolebinding", "public-token-keys"]);
    for (const name of ["shop", operatorNamespace, "external"]) await removeNamespace(admin, name);
    await removeDefinitions(admin);
    await rm(folder, { recursive: true });
  });

  it("install the CRDs", () => follow("helm upgrade --install muster-crds"));

  it("let everybody read the keys of the cluster, and say how the platform finds them", async () => {
    const issuer = /"issuer":"([^"]*)"/.exec(await follow("create clusterrolebinding"))?.[1] ?? "";
    expect(await follow("certificate-authority-data")).toContain("BEGIN CERTIFICATE");
    const server = await kubectl(target(), [
      "config",
      "view",
      "--minify",
      "--output=jsonpath={.clusters[0].cluster.server}",
    ]);
    const setting = `${issuer},ca=/etc/cluster/ca.crt,jwks=${server}/openid/v1/jwks`;
    platform = await ExternalPlatform.start(target(), "external", setting);
  });

  it("create the operator's identity, whose settings go into values", async () => {
    const printed = await follow("muster bootstrap", {
      "https://platform.example.com": "http://127.0.0.1:8080",
      "--admin-token-file admin-token": "--admin-token-file /data/admin-token",
    });
    const { image: { repository = "muster", tag = "", digest = "" } = {} } = imageValues(target().image);
    const setting = (name: string) => new RegExp(`MUSTER_${name}: "?([^"\n]+)`).exec(printed)?.[1] ?? "";
    values = (steps.find(({ code }) => code.startsWith("# values.yaml"))?.code ?? "")
      .replace("registry.example.com/muster", `${repository}\n  tag: "${tag}"\n  digest: "${digest}"`)
      .replace("https://platform.example.com", platform.url)
      .replace(/(?<=identity: ).*/, setting("IDENTITY"))
      .replace(/(?<=rootGroup: ).*/, setting("ROOT_GROUP"))
      .replace(/(?<=ownerId: ).*/, setting("OWNER_ID"))
      .replace(/(?<=groups: ).*/, `[${setting("ROOT_GROUP")}]`);
    await writeFile(join(folder, "values.yaml"), values);
  });

  it("install the release, which passes its test, and whose Tenant permits what it says", async () => {
    const { admin } = target();
    expect(await follow("helm test")).toMatch(/Phase:\s+Succeeded/);
    const [, parentUid = ""] = /rootGroup: (\S+)/.exec(values) ?? [];
    const group = musterObject("Group", "shop", "shop", { parentUid });
    await admin.apply(group);
    await admin.waitFor(group, isReady, { timeoutMs: 60_000 });
    await kubectl(target(), ["delete", "mgroup", "--all", "--namespace", "shop"]);
  });
});
