import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { charts, type ChartValues, helm } from "#test/deploy/helm.ts";
import { type Cluster, startCluster } from "#test/node/cluster.ts";
import { containerStatuses } from "#test/node/container-statuses.ts";
import { buildMusterImage } from "#test/node/images.ts";
import { account, namespace } from "#test/node/labelled-pod.ts";
import { applyExamples, imageOf, imageValues, operatorNamespace } from "#test/node/try-out.ts";
import { collectionOf, differencesFromPlatform } from "#test/support/harness/comparison.ts";
import { isReady, ref } from "#test/support/harness/muster-objects.ts";
import { allReady, applyBranches } from "./branch.ts";
import { describeOnNode } from "./describe-with-target.ts";
import { kubectl } from "./kubectl.ts";
import { secondsOf } from "./muster-on-node.ts";
import { type PlatformOnNode, reachPlatform } from "./platform-on-node.ts";
import { report } from "./report.ts";
import { operatorDeployment, platformStatefulSet } from "./scale.ts";
import { watcherPods, watchers } from "./token-watcher.ts";

const execute = promisify(execFile);

/** The commit from which to upgrade, and to which to return. */
const earlierCommit = process.env["MUSTER_E2E_EARLIER"] ?? "HEAD~1";
/** A nightly run has 2,000 objects and 50 pods. */
const branches = Math.min(Number(process.env["MUSTER_E2E_OBJECTS"] ?? 200), 2_000) / 4;
const pods = Number(process.env["MUSTER_E2E_PODS"] ?? 10);
const timeoutMs = 300_000 + branches * 400 + pods * 3_000;
const earlierImage = "docker.io/library/muster:earlier";

/** Prints a line whenever the file has no token. */
const watchToken = 'while :; do [ -s "$MUSTER_TOKEN_FILE" ] || echo "no token at $(date)"; sleep 1; done';
const watching = watchers(imageOf({}), pods, ["sh", "-c", watchToken]);

describeOnNode("the release of an earlier commit", () => {
  let cluster: Cluster;
  let platform: PlatformOnNode;
  let folder = "";
  let preexisting: ReadonlySet<string>;
  let uids: readonly string[] = [];

  const inNamespace = () => ["--namespace", operatorNamespace, "--wait", "--timeout", "5m", ...cluster.helmFlags];
  const uidsOnPlatform = async () => {
    const lists = Object.values(collectionOf).map((collection) => platform.admin.list(collection));
    return (await Promise.all(lists)).flat().map(({ uid }) => uid);
  };

  /** What must be true whichever version runs. */
  async function expectNothingLost(description: string) {
    const edited = ref("Group", namespace, "branch-0");
    await cluster.admin.patch(edited, { spec: { description } });
    await cluster.admin.waitFor(edited, isReady, { timeoutMs: 60_000 });
    const system = { controlPlane: { admin: cluster.admin }, admin: platform.admin, preexisting };
    expect(await differencesFromPlatform(system)).toEqual([]);
    expect((await uidsOnPlatform()).toSorted()).toEqual(uids);
    const seen = await watcherPods(cluster.admin);
    expect(seen).toHaveLength(pods);
    expect(seen.flatMap(containerStatuses).filter(({ restartCount }) => restartCount > 0)).toEqual([]);
    const logs = ["logs", "--namespace", namespace, "--selector", "app=watchers", "--container", "app", "--tail", "-1"];
    expect(await kubectl(cluster, [...logs, "--max-log-requests", String(pods)])).toBe("");
    for (const { metadata } of seen) {
      const read = ["exec", "--namespace", namespace, metadata.name, "--container", "app", "--"];
      const token = await kubectl(cluster, [...read, "sh", "-c", 'cat "$MUSTER_TOKEN_FILE"']);
      const headers = { authorization: `Bearer ${token.trim()}` };
      expect((await fetch(`${platform.url}/iam/v2beta1/groups`, { headers })).status).toBe(200);
    }
  }

  async function imagesOfRelease() {
    const objects = await Promise.all([operatorDeployment, platformStatefulSet].map((one) => cluster.admin.get(one)));
    return objects.map((object) => object["spec"].template.spec.containers[0].image as string);
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "muster-e2e-earlier-"));
    await execute("sh", ["-c", 'git archive "$1" | tar --extract --directory "$2"', "sh", earlierCommit, folder]);
    cluster = await startCluster({ progress: report });
    const archive = await buildMusterImage({ folder, reference: earlierImage }, { progress: report });
    await cluster.loadImage(archive);
    await cluster.admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const earlier = join(folder, "deploy/helm");
    await helm(["install", "muster-crds", `${earlier}/muster-crds`, "--create-namespace", ...inNamespace()]);
    const values = { ...(await tryOutValues()), ...imageValues(earlierImage) };
    await helm(["install", "muster", `${earlier}/muster`, ...inNamespace()], values);
    platform = await reachPlatform(cluster);
    preexisting = new Set(await uidsOnPlatform());
    await applyExamples(cluster);
    await applyBranches(cluster.admin, branches);
    await allReady(cluster.admin, timeoutMs);
    uids = (await uidsOnPlatform()).toSorted();
    await cluster.admin.apply(account);
    await cluster.admin.apply(watching);
    await cluster.admin.waitFor(watching, (seen) => seen?.["status"]?.readyReplicas === pods, { timeoutMs });
    report(`${uids.length - preexisting.size} resources and ${pods} pods with a token, with ${earlierCommit}`);
  }, timeoutMs);
  afterAll(async () => {
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("is upgraded, and loses nothing", { timeout: timeoutMs }, async () => {
    const seconds = await secondsOf(async () => {
      await helm(["upgrade", "muster-crds", `${charts}/muster-crds`, ...inNamespace()]);
      await helm(["upgrade", "muster", `${charts}/muster`, ...inNamespace()], await tryOutValues());
    });
    report(`upgraded after ${seconds} s`);
    expect(await imagesOfRelease()).toEqual(["muster:0.1.0", "muster:0.1.0"]);
    await expectNothingLost("Upgraded");
  });

  it.each([
    [1, [earlierImage, earlierImage]],
    [2, ["muster:0.1.0", "muster:0.1.0"]],
  ])("is rolled back to revision %i, and loses nothing", { timeout: timeoutMs }, async (revision, images) => {
    const seconds = await secondsOf(() => helm(["rollback", "muster", String(revision), ...inNamespace()]));
    report(`rolled back to revision ${revision} after ${seconds} s`);
    expect(await imagesOfRelease()).toEqual(images);
    await expectNothingLost(`Revision ${revision}`);
  });
});

/** The values with which muster-try-out installs the chart `muster`. */
async function tryOutValues(): Promise<ChartValues> {
  const { muster } = parse(await readFile(join(charts, "muster-try-out/values.yaml"), "utf8"));
  return muster as ChartValues;
}
