import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startupProbe } from "#src/injection/startup-probe.ts";
import { MusterProcess } from "#test/support/harness/muster-process.ts";
import { program, programEnvironment } from "#test/support/harness/program.ts";
import { closeServer, listenOnLoopback } from "#test/support/loopback.ts";
import { WorkloadPlatform } from "./workload-platform.ts";

const issuer = "https://kubernetes.example.com";
const subject = "system:serviceaccount:shop:checkout";
const audience = "auth.example.com";

let platform: WorkloadPlatform;
let identity = "";
/** The volume of the token in a pod. */
let volume = "";
let source = "";
const agents: MusterProcess[] = [];

beforeAll(async () => {
  platform = await WorkloadPlatform.start({ issuers: [issuer] });
  identity = await platform.createIdentity("checkout", { claimMatch: { issuer, subject, audience } });
  source = join(platform.folder, "source");
  writeFileSync(source, await platform.subjectToken({ iss: issuer, sub: subject, aud: [audience] }));
});
beforeEach(() => {
  volume = mkdtempSync(join(platform.folder, "volume-"));
});
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.kill();
});
afterAll(() => platform.stop());

/** The variables that injection sets. */
const injected = () => ({
  MUSTER_IDENTITY: identity,
  MUSTER_AUTH_URL: `${platform.url}/sts/exchange`,
  MUSTER_API_AUDIENCE: platform.url,
  MUSTER_SUBJECT_TOKEN_FILE: source,
  MUSTER_TOKEN_FILE: join(volume, "token"),
});

function startAgent(env: Readonly<Record<string, string>> = {}): MusterProcess {
  const agent = new MusterProcess(["agent"], { env: { ...injected(), ...env } });
  agents.push(agent);
  return agent;
}

interface RunOptions {
  /** What the command reads from standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command that ends by itself. */
async function run(args: readonly string[], { input = "", env = {} }: RunOptions = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...programEnvironment, ...injected(), ...env },
  });
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, "close")]);
  return { code: child.exitCode, stdout, stderr };
}

const token = () => readFileSync(join(volume, "token"), "utf8");

describe("muster agent", () => {
  it("keeps a token with which a private repo is listed, and ends with 0 on SIGTERM", async () => {
    expect(await run(["agent", "--check"])).toEqual({
      code: 1,
      stdout: "",
      stderr: "muster agent: there is no token yet: the agent has not finished its first attempt\n",
    });
    const agent = startAgent();
    const { expiry } = await agent.logged("token renewed");
    expect(await platform.repos(token())).toEqual([platform.repo]);
    expect(await run(["agent", "--check"])).toEqual({
      code: 0,
      stdout: `the token is valid until ${String(expiry)}\n`,
      stderr: "",
    });
    const [before, logged] = [token(), agent.log.length];
    agent.signal("SIGHUP");
    await agent.logged("token renewed", logged);
    expect(token()).not.toBe(before);
    expect(JSON.stringify(agent.log) + agent.plainOutput).not.toContain(token().slice(-40));
    await agent.stop();
    expect(agent.exitCode).toBe(0);
    expect(agent.plainOutput).toBe("");
  });

  it("ends the startup probe of a pod as soon as there is a token", async () => {
    const { command } = startupProbe.exec;
    const probe = run(command.slice(1)).then((result) => ({ ...result, endedAt: Date.now() }));
    const agent = startAgent();
    await agent.logged("token renewed");
    const { code, endedAt } = await probe;
    expect(code).toBe(0);
    // Its own start may take longer than that of the agent. The kubelet's next attempt would be a period later.
    expect(endedAt - statSync(join(volume, "token")).mtimeMs).toBeLessThan(3_000);
    expect(await run(["agent", "--wait", "1s"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--check") });
  });

  it("goes on after it was killed: the token stays, and the next container renews it", async () => {
    const first = startAgent();
    await first.logged("token renewed");
    const before = token();
    await first.kill();
    expect(await platform.repos(token())).toEqual([platform.repo]);
    await startAgent().logged("token renewed");
    expect(token()).not.toBe(before);
    expect(readdirSync(volume).toSorted()).toEqual(["token", "token.json"]);
  });

  it("explains in one line of the pod's event why the exchange is refused", async () => {
    const gone = await platform.createIdentity("gone", { claimMatch: { issuer, subject, audience } });
    await platform.deleteIdentity(gone);
    const agent = startAgent({ MUSTER_IDENTITY: gone });
    await agent.logged("getting a token failed; the application has no valid one");
    const { code, stderr } = await run(["agent", "--check"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^muster agent: there is no token yet; attempts have failed since [^\n]+\n$/);
    expect(stderr).toContain(`refused the exchange for the identity ${gone}`);
    expect(stderr).toContain(`the subject "${subject}" and the audience ["${audience}"]`);
    expect(stderr).toContain("must be re-created");
  });

  it("ends at once on SIGTERM while the token service does not respond", async () => {
    const arrived = Promise.withResolvers<void>();
    const silent = createServer(() => arrived.resolve());
    const agent = startAgent({ MUSTER_AUTH_URL: `http://127.0.0.1:${await listenOnLoopback(silent)}` });
    await arrived.promise;
    const before = performance.now();
    await agent.stop();
    expect(agent.exitCode).toBe(0);
    // The request itself would last for 10 s.
    expect(performance.now() - before).toBeLessThan(5_000);
    void closeServer(silent);
  });
});

describe("muster token", () => {
  it("prints a token, or JSON with its expiry", async () => {
    const { code, stdout } = await run(["token"]);
    expect(code).toBe(0);
    expect(await platform.repos(stdout.trim())).toEqual([platform.repo]);
    const json = JSON.parse((await run(["token", "-o", "json"])).stdout);
    expect(await platform.repos(json.token)).toEqual([platform.repo]);
    expect(Date.parse(json.expiry)).toBeGreaterThan(Date.now());
  });

  it("reads the workload's own token from standard input", async () => {
    const input = readFileSync(source, "utf8");
    const { stdout } = await run(["token", "--subject-token-file", "-"], { input });
    expect(await platform.repos(stdout.trim())).toEqual([platform.repo]);
  });

  it("fails with the reason of the token service", async () => {
    const { code, stdout, stderr } = await run(["token", "--api-audience", "https://elsewhere.example.com"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /^muster token: the token service refused the exchange .*aud.*\(INVALID_ARGUMENT\)\. The requested audience is https:\/\/elsewhere\.example\.com: correct --api-audience .*\nMore: docs\/reference\/errors\.md#exchange-refused\n$/,
    );
  });
});

describe("muster credential-helper", () => {
  const get = ["credential-helper", "docker", "get", "--registry", "registry.example.com"];

  it("gives docker the token of the agent's file, for the platform's registries only", async () => {
    writeFileSync(join(volume, "token"), "the-token");
    const { code, stdout } = await run(get, { input: "registry.example.com\n" });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      ServerURL: "registry.example.com",
      Username: "_token",
      Secret: "the-token",
    });
    expect(await run(get, { input: "https://index.docker.io/v1/" })).toMatchObject({
      code: 1,
      stdout: "credentials not found in native keychain\n",
    });
  });

  it("exchanges for docker where no agent runs", async () => {
    const { stdout } = await run(get, { input: "registry.example.com", env: { MUSTER_TOKEN_FILE: "" } });
    expect(await platform.repos(JSON.parse(stdout).Secret)).toEqual([platform.repo]);
  });

  describe("for the kubelet", () => {
    const registry = ["credential-helper", "kubelet", "--registry", "registry.example.com"];
    const pull = (image: string, uid = identity) =>
      run(registry, {
        env: { MUSTER_IDENTITY: "", MUSTER_TOKEN_FILE: "" },
        input: JSON.stringify({
          apiVersion: "credentialprovider.kubelet.k8s.io/v1",
          kind: "CredentialProviderRequest",
          image,
          serviceAccountToken: readFileSync(source, "utf8"),
          serviceAccountAnnotations: { "iam.muster.dev/identity-uid": uid },
        }),
      });

    it("exchanges the token of the pod's service account for that of its identity", async () => {
      const { code, stdout } = await pull("registry.example.com/shop/web:1");
      expect(code).toBe(0);
      const { auth, cacheDuration } = JSON.parse(stdout);
      expect(auth["registry.example.com"].username).toBe("_token");
      expect(await platform.repos(auth["registry.example.com"].password)).toEqual([platform.repo]);
      expect(cacheDuration).toMatch(/^\d+s$/);
    });

    it("has no credentials for other registries, and says why an exchange was refused", async () => {
      expect(JSON.parse((await pull("docker.io/library/nginx")).stdout)).not.toHaveProperty("auth");
      const refused = await pull(
        "registry.example.com/shop/web:1",
        `${identity.slice(0, -1)}${identity.endsWith("0") ? 1 : 0}`,
      );
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toContain("the token service refused the exchange");
    });
  });

  it("gives kubectl a token for the audience of a flag", async () => {
    const { stdout } = await run(["credential-helper", "kubectl", "--audience", platform.url]);
    const { apiVersion, kind, status } = JSON.parse(stdout);
    expect({ apiVersion, kind }).toEqual({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential" });
    expect(await platform.repos(status.token)).toEqual([platform.repo]);
    expect(status.expirationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });
});
