import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type Cluster, startCluster } from "#test/node/cluster.ts";
import { account, namespace } from "#test/node/labelled-pod.ts";
import { applyExamples, installTryOut, operatorNamespace } from "#test/node/try-out.ts";
import { isReady, ref } from "#test/support/harness/muster-objects.ts";
import { applyBranches } from "./branch.ts";
import { describeOnNode } from "./describe-with-target.ts";
import { kubectl } from "./kubectl.ts";
import { report } from "./report.ts";
import { buildImageWithShortLifetimes, lifetimeSeconds } from "./short-lifetimes.ts";
import { type Seen, seenByWatchers, watchers } from "./token-watcher.ts";

const image = "docker.io/library/muster:short-lifetimes";
const replicas = 2;
/** How long three renewals take, and what else the machine does. */
const timeoutMs = lifetimeSeconds * 6_000;

describeOnNode("tokens and keys that live for a minute", () => {
  let cluster: Cluster;
  let edits = 0;

  /** Edits a group, and waits until the object is Ready with it. */
  async function edit(): Promise<void> {
    const edited = ref("Group", namespace, "branch-0");
    await cluster.admin.patch(edited, { spec: { description: `Edit ${++edits}` } });
    await cluster.admin.waitFor(edited, isReady, { timeoutMs: 30_000 });
  }

  /** How often the operator has exchanged its token, by result. */
  async function exchanges(): Promise<Readonly<Record<string, number>>> {
    const pods = await cluster.admin.list({ apiVersion: "v1", kind: "Pod" }, { namespace: operatorNamespace });
    const operator = pods.find(({ metadata }) => metadata.labels?.["app.kubernetes.io/component"] === "operator");
    const metrics = `${operatorNamespace}/pods/http:${operator?.metadata.name}:8080/proxy/metrics`;
    const text: string = await cluster.admin.request("GET", `/api/v1/namespaces/${metrics}`);
    const samples = text.matchAll(/^muster_token_exchanges_total\{.*?result="([^"]+)".*?\} (\d+)$/gm);
    return Object.fromEntries([...samples].map(([, result, count]) => [result, Number(count)]));
  }

  /** Waits until each watcher has seen something. */
  const eachHasSeen = (wanted: (seen: Seen) => boolean) =>
    vi.waitFor(
      async () => {
        const seen = await seenByWatchers(cluster.admin);
        expect(seen.size).toBe(replicas);
        for (const one of seen.values()) expect(one).toSatisfy(wanted);
        return [...seen.values()];
      },
      { timeout: timeoutMs, interval: 1_000 },
    );

  async function expectNoFault(): Promise<void> {
    for (const { faults } of (await seenByWatchers(cluster.admin)).values()) expect(faults).toEqual([]);
  }

  /** Rotates the key as the docs say. @returns the id of the new key */
  async function rotate(...flags: readonly string[]): Promise<string> {
    const command = ["muster", "platform", "rotate-signing-key", ...flags];
    const output = await kubectl(cluster, ["-n", operatorNamespace, "exec", "muster-platform-0", "--", ...command]);
    const [, kid = ""] = /Created the signing key (\S+)\. /.exec(output) ?? [];
    expect(kid).not.toBe("");
    return kid;
  }

  beforeAll(async () => {
    cluster = await startCluster({ progress: report });
    await cluster.loadImage(await buildImageWithShortLifetimes(image, { progress: report }));
    await cluster.admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await installTryOut({ ...cluster, image });
    await applyExamples(cluster);
    await applyBranches(cluster.admin, 1);
    await cluster.admin.apply(account);
    const deployment = watchers(image, replicas);
    await cluster.admin.apply(deployment);
    const ready = (seen: typeof deployment | undefined) => seen?.["status"]?.readyReplicas === replicas;
    await cluster.admin.waitFor(deployment, ready, { timeoutMs: 120_000 });
  });
  afterAll(() => cluster?.stop());

  it("are renewed three times by agents and operator, and no application reads an expired one", {
    timeout: timeoutMs,
  }, async () => {
    const before = await exchanges();
    await vi.waitFor(
      async () => {
        await edit();
        expect((await exchanges())["OK"]).toBeGreaterThanOrEqual((before["OK"] ?? 0) + 3);
      },
      { timeout: timeoutMs, interval: 2_000 },
    );
    await edit();
    const seen = await eachHasSeen(({ tokens }) => tokens.length >= 4);
    for (const { tokens } of seen) expect(tokens.flatMap(({ answers }) => answers)).toEqual(tokens.map(() => "200"));
    await expectNoFault();
    report(
      `the operator's exchanges: ${JSON.stringify(before)}, then ${JSON.stringify(await exchanges())}; ${edits} edits`,
    );
    report(`tokens that each application read: ${seen.map(({ tokens }) => tokens.length).join(", ")}`);
  });

  it("follow a rotation of the platform's key, and no token ends", { timeout: timeoutMs }, async () => {
    const kid = await rotate();
    const seen = await eachHasSeen(({ tokens }) => tokens.at(-1)?.kid === kid && tokens.at(-1)?.answers.length === 1);
    for (const { tokens } of seen) expect(new Set(tokens.flatMap(({ answers }) => answers))).toEqual(new Set(["200"]));
    await edit();
    await expectNoFault();
  });

  it("follow a revocation: a token that ended stays until the next renewal", { timeout: timeoutMs }, async () => {
    const kid = await rotate("--revoke");
    const seen = await eachHasSeen(({ tokens }) => tokens.at(-1)?.kid === kid && tokens.at(-1)?.answers.length === 1);
    for (const { tokens } of seen) {
      const first = tokens.findIndex((token) => token.kid === kid);
      expect(tokens.slice(first).flatMap(({ answers }) => answers)).toEqual(tokens.slice(first).map(() => "200"));
      expect(tokens.slice(0, first - 1).flatMap(({ answers }) => answers)).not.toContain("401");
      report(
        `after --revoke, the last token of the earlier key was answered with ${tokens[first - 1]?.answers.join(", ")}`,
      );
    }
    // A watcher that gets its next token in the same fifth of a second sees nothing of it; not both do.
    expect(seen.some(({ tokens }) => tokens.findLast((token) => token.kid !== kid)?.answers.at(-1) === "401")).toBe(
      true,
    );
    await edit();
    await expectNoFault();
    report(`the operator's exchanges after all: ${JSON.stringify(await exchanges())}`);
  });
});
