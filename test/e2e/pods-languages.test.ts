import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parsePage } from "#scripts/docs/page-parser.ts";
import { type Cluster, startCluster } from "#test/node/cluster.ts";
import { buildDebianImage, buildGoImage } from "#test/node/images.ts";
import { account, type Fields, labelledPod, namespace, runToEnd } from "#test/node/labelled-pod.ts";
import { restrictedContainer, restrictedPod } from "#test/node/restricted.ts";
import { applyExamples, imageOf, installTryOut } from "#test/node/try-out.ts";
import { ref } from "#test/support/harness/muster-objects.ts";
import { sendJson } from "#test/support/harness/send-json.ts";
import { describeOnNode } from "./describe-with-target.ts";
import { reachPlatform } from "./platform-on-node.ts";
import { report } from "./report.ts";

const guide = "docs/how-to/use-the-token.md";
const debian = "localhost/languages:1";
const go = "localhost/list-repos:1";
/** Java compiles the file when it runs it. */
const packages = ["curl", "openjdk-17-jdk-headless", "python3"];

interface Program {
  /** Of its code block. */
  readonly language: string;
  /** As the guide calls it. */
  readonly file: string;
  readonly image: string;
  /** Absent where the image has only the program. */
  readonly command?: string;
}

const programs: readonly Program[] = [
  { language: "sh", file: "list-repos.sh", image: debian, command: "sh" },
  { language: "go", file: "list_repos.go", image: go },
  { language: "python", file: "list_repos.py", image: debian, command: "python3" },
  { language: "java", file: "ListRepos.java", image: debian, command: "java" },
  { language: "js", file: "list-repos.mjs", image: imageOf({}), command: "node" },
];

/** As in the guide. */
const registry = "registry.example.com";

describeOnNode("programs of the docs in pods", () => {
  let cluster: Cluster;
  let blocks: ReadonlyMap<string, string>;

  /** Runs a container in a labelled pod, with the programs of the guide in /docs. @returns what it prints */
  const run = (name: string, container: Fields): Promise<string> => {
    const mounted = { volumeMounts: [{ name: "docs", mountPath: "/docs" }], ...restrictedContainer };
    const volumes = [{ name: "docs", configMap: { name: "docs" } }];
    const securityContext = { ...restrictedPod.securityContext, runAsUser: 1_000 };
    return runToEnd(cluster.admin, labelledPod(name, { ...mounted, ...container }, { securityContext, volumes }));
  };

  beforeAll(async () => {
    const { fences } = parsePage({ path: guide, text: await readFile(guide, "utf8"), page: "" });
    blocks = new Map(fences.map(({ language, code }) => [language, code]));
    cluster = await startCluster({ progress: report });
    const { admin } = cluster;
    await cluster.loadImage(await buildDebianImage({ reference: debian, packages }, { progress: report }));
    await cluster.loadImage(
      await buildGoImage({ reference: go, source: blocks.get("go") ?? "" }, { progress: report }),
    );
    await installTryOut(cluster);
    await applyExamples(cluster);
    await admin.apply(account);
    const data = Object.fromEntries(programs.map(({ language, file }) => [file, blocks.get(language)]));
    await admin.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "docs", namespace }, data });
    const { url, adminToken: token } = await reachPlatform(cluster);
    const { uid } = (await admin.get(ref("Group", namespace, "checkout-production")))["status"];
    const path = `/registry/v2beta1/repos/${uid}`;
    await sendJson({ url, token, method: "POST", path, body: { name: "payments" } });
  });
  afterAll(() => cluster?.stop());

  it.each(programs)("$file reads the token and lists repos", async ({ language, file, image, command }) => {
    const output = await run(language, { image, ...(command && { command: [command, `/docs/${file}`] }) });
    expect(output).toMatch(/^payments$|"name":\s*"payments"/);
  });

  it("covers each program of the guide", () => {
    const others = ["json", "yaml"];
    expect([...blocks.keys()].filter((language) => !others.includes(language))).toEqual(
      programs.map(({ language }) => language),
    );
  });

  it("docker's credential helper prints the token", async () => {
    const script = `echo ${registry} | docker-credential-muster get`;
    const env = [{ name: "MUSTER_REGISTRY", value: registry }];
    const output = await run("docker", { image: imageOf({}), command: ["sh", "-c", script], env });
    expect(JSON.parse(output)).toMatchObject({ Secret: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) });
  });

  it.skip("docker pulls with it: there is no docker on a node, whose kubelet does in pods-image-pull.test.ts");
  it.skip("kubectl: this cluster does not trust the platform as an OIDC issuer");
  it.skip("aws_lambda.py, aws_subject_token.py and aws-exchange.sh: they need AWS");
  it.skip("github-actions.yaml and gitlab-ci.yaml: they need the tokens of these services");
});
