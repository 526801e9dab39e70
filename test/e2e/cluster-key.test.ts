import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { account, groupsOfCheckout, namespace } from "#test/node/labelled-pod.ts";
import { createServiceAccountKey, firstServiceAccountKey } from "#test/node/service-account-key.ts";
import { operatorNamespace, runLabelledPod } from "#test/node/try-out.ts";
import { ref } from "#test/support/harness/muster-objects.ts";
import { describeOnNode } from "./describe-with-target.ts";
import { kubectl } from "./kubectl.ts";
import { reachPlatform } from "./platform-on-node.ts";
import { report } from "./report.ts";
import { ShortLivedTokens, timeoutMs } from "./short-lived-tokens.ts";
import { watcherPods } from "./token-watcher.ts";

/** What an Identity's status says about the exchange. */
interface Exchange {
  readonly url: string;
  readonly audience: string;
  readonly apiAudience: string;
}

// As docs/operate/keys.md says. The kubelet is restarted, because it renews no token before 8 minutes; then it requests all of them again.
describeOnNode("the key of a cluster's service accounts", () => {
  let muster: ShortLivedTokens;
  let platform: string;
  let identity: string;
  let exchange: Exchange;
  let first: string;
  let second: string;
  let earlier: string;
  let failuresBefore: object;

  const kube = () => muster.cluster.admin;
  const newToken = (audience: string) =>
    kube().createToken(namespace, account.metadata.name, { audiences: [audience], expirationSeconds: 600 });

  /** Starts the API server again, with keys whose tokens it accepts, and the key with which it signs. */
  async function useKeys(accepted: readonly string[], signing: string): Promise<void> {
    const { faults } = muster.cluster;
    await faults.kill("kube-apiserver");
    await faults.start("kube-apiserver", {
      "service-account-key-file": accepted,
      "service-account-signing-key-file": signing,
    });
  }

  /** The ids of the keys that the API server publishes. */
  async function publishedKeys(): Promise<readonly string[]> {
    const { keys } = await kube().request("GET", "/openid/v1/jwks");
    return keys.map(({ kid }: { readonly kid: string }) => kid);
  }

  /** What the platform's token service responds to a token of the service account. */
  async function exchanged(token: string): Promise<string> {
    const url = new URL(new URL(exchange.url).pathname, platform);
    url.search = new URLSearchParams({ aud: exchange.apiAudience, identity }).toString();
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    return response.ok ? "OK" : response.text();
  }

  /** The ids of the keys of the tokens that the agents of the watchers, and the operator, exchange. */
  async function keysInPods(): Promise<readonly string[]> {
    const agents = await watcherPods(kube());
    const operator = await muster.operator();
    return Promise.all([
      ...agents.map(({ metadata }) =>
        keyInPod(namespace, metadata.name, "muster-agent", "/var/run/muster/source/token"),
      ),
      keyInPod(operatorNamespace, operator.metadata.name, "operator", "/var/run/secrets/muster/token"),
    ]);
  }

  async function keyInPod(of: string, pod: string, container: string, file: string): Promise<string> {
    return keyOf(await kubectl(muster.cluster, ["exec", "-n", of, pod, "-c", container, "--", "cat", file]));
  }

  /** How often exchanges of the operator have failed, by result: at an installation, the platform is not there at first. */
  async function failures() {
    const { status } = await muster.operator();
    return { ...(await muster.exchanges()), OK: 0, restarts: status.containerStatuses[0].restartCount };
  }

  /** Checks that no watcher has read an expired or refused token, and that each exchange of the operator since the start succeeded. */
  async function expectNoFault(): Promise<void> {
    await muster.expectNoFault();
    for (const { tokens } of await muster.eachHasSeen(() => true))
      expect(tokens.flatMap(({ answers }) => answers).filter((answer) => answer !== "200")).toEqual([]);
    expect(await failures()).toEqual(failuresBefore);
  }

  beforeAll(async () => {
    muster = await ShortLivedTokens.start();
    const { folder } = muster.cluster.isolation;
    first = firstServiceAccountKey(folder);
    second = await createServiceAccountKey(join(folder, "second-service-account.key"));
    ({ url: platform } = await reachPlatform(muster.cluster));
    const { uid, exchange: found } = (await kube().get(ref("Identity", namespace, "checkout")))["status"];
    identity = uid;
    exchange = found;
    failuresBefore = await failures();
  });
  afterAll(() => muster?.cluster.stop());

  it("is published beside a second one before that one signs", { timeout: timeoutMs }, async () => {
    expect(await publishedKeys()).toHaveLength(1);
    await useKeys([first, second], first);
    const published = await publishedKeys();
    expect(published).toHaveLength(2);
    earlier = await newToken(exchange.audience);
    expect(published).toContain(keyOf(earlier));
    expect(await exchanged(earlier)).toBe("OK");
    await muster.edit();
    await expectNoFault();
  });

  it("stays accepted when the second one signs", { timeout: timeoutMs }, async () => {
    await useKeys([first, second], second);
    const later = await newToken(exchange.audience);
    expect(keyOf(later)).not.toBe(keyOf(earlier));
    expect(await publishedKeys()).toContain(keyOf(later));
    expect(await exchanged(later)).toBe("OK");
    expect(await exchanged(earlier)).toBe("OK");
    await muster.edit();
    expect(new Set(await keysInPods())).toEqual(new Set([keyOf(earlier)]));
    await expectNoFault();
  });

  it("gives way to the second one in pods that run, once the kubelet renews their tokens", {
    timeout: timeoutMs,
  }, async () => {
    const { faults } = muster.cluster;
    const before = await muster.eachHasSeen(() => true);
    await faults.kill("kubelet");
    await faults.start("kubelet");
    // Its own credentials are tokens, too.
    await faults.kill("kube-controller-manager");
    await faults.start("kube-controller-manager", { "service-account-private-key-file": second });
    const kid = keyOf(await newToken(exchange.audience));
    await expect.poll(keysInPods, { timeout: 180_000, interval: 1_000 }).toEqual([kid, kid, kid]);
    const count = Math.max(...before.map(({ tokens }) => tokens.length));
    await muster.eachHasSeen(({ tokens }) => tokens.length > count);
    await muster.edit();
    await expectNoFault();
  });

  it("ends tokens with its removal, and none that was renewed", { timeout: 2 * timeoutMs }, async () => {
    await useKeys([second], second);
    const later = await newToken(exchange.audience);
    expect(await publishedKeys()).toEqual([keyOf(later)]);
    await expect
      .poll(() => exchanged(earlier), { timeout: 60_000, interval: 1_000 })
      .toContain("does not match a key of its issuer");
    expect(await exchanged(later)).toBe("OK");
    expect(await runLabelledPod(muster.cluster, "new")).toBe(groupsOfCheckout);
    const before = await muster.eachHasSeen(() => true);
    const exchangesBefore = await muster.exchanges();
    const count = Math.max(...before.map(({ tokens }) => tokens.length));
    await muster.eachHasSeen(({ tokens }) => tokens.length >= count + 2);
    // The operator exchanges its token when it calls the platform.
    await muster.edit();
    expect((await muster.exchanges())["OK"]).toBeGreaterThan(exchangesBefore["OK"] ?? 0);
    await expectNoFault();
    const seen = await muster.eachHasSeen(() => true);
    report(`tokens that each application read: ${seen.map(({ tokens }) => tokens.length).join(", ")}`);
    report(`the operator's exchanges: ${JSON.stringify(await muster.exchanges())}; ${muster.edits} edits`);
  });
});

/** The id of the key that signed a token. */
const keyOf = (token: string): string => JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid;
