import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { minutes, seconds } from "#src/time/durations.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { readConnection } from "./config.ts";

let folder: string;
let clock: ManualClock;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-config-"));
  clock = new ManualClock();
});
afterEach(() => rm(folder, { recursive: true }));

describe("in a pod", () => {
  const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "6443" };
  const settings = () => ({ env, clock, serviceAccountDirectory: folder });

  beforeEach(async () => {
    await writeFile(join(folder, "token"), "first\n");
    await writeFile(join(folder, "ca.crt"), "PEM");
    await writeFile(join(folder, "namespace"), "muster-system\n");
  });

  test("reads the connection from three files and two environment variables", async () => {
    const connection = await readConnection(settings());
    expect(connection.server.href).toBe("https://10.0.0.1:6443/");
    expect([connection.ca, connection.namespace, await connection.token()]).toEqual(["PEM", "muster-system", "first"]);
  });

  test("calls the API server directly, whatever the environment says about proxies", async () => {
    const connection = await readConnection({ ...settings(), env: { ...env, HTTPS_PROXY: "http://proxy.example" } });
    expect(connection.proxies).toBeUndefined();
  });

  test("accepts an IPv6 address", async () => {
    const connection = await readConnection({ ...settings(), env: { KUBERNETES_SERVICE_HOST: "fd00::1" } });
    expect(connection.server.href).toBe("https://[fd00::1]/");
  });

  test("reads the token again after a minute, not before, and keeps the last one if that fails", async () => {
    const connection = await readConnection(settings());
    await writeFile(join(folder, "token"), "second");
    await clock.advance(59_999);
    expect(await connection.token()).toBe("first");
    await clock.advance(1);
    expect(await connection.token()).toBe("second");
    await rm(join(folder, "token"));
    await clock.advance(60_000);
    expect(await connection.token()).toBe("second");
  });

  test("reads the token again after the API server has rejected it, and keeps the last one if that fails", async () => {
    const connection = await readConnection(settings());
    await writeFile(join(folder, "token"), "second");
    connection.rejectToken?.();
    expect(await connection.token()).toBe("second");
    await rm(join(folder, "token"));
    connection.rejectToken?.();
    expect(await connection.token()).toBe("second");
  });

  test("names a missing file and says what to check", async () => {
    await rm(join(folder, "ca.crt"));
    await expect(readConnection(settings())).rejects.toThrow(/cannot read .*ca\.crt; check that the pod mounts/);
  });
});

test("outside of a pod, a missing setting is an error that names the settings", async () => {
  await expect(readConnection({ env: {}, clock })).rejects.toThrow("--kubeconfig FILE or --context NAME");
});

test("says what to do if the user has no kubeconfig", async () => {
  vi.stubEnv("HOME", folder);
  vi.stubEnv("KUBECONFIG", "");
  const connection = readConnection({ env: {}, clock, userKubeconfig: true });
  await expect(connection).rejects.toThrowError(
    "there is no kubeconfig: KUBECONFIG is not set, and ~/.kube/config does not exist. Give one with --kubeconfig FILE",
  );
  vi.unstubAllEnvs();
});

describe("a kubeconfig", () => {
  const document = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "c",
        cluster: {
          server: "https://localhost:6443/base",
          "certificate-authority-data": Buffer.from("CA").toString("base64"),
          "tls-server-name": "kube",
        },
      },
    ],
    users: [
      { name: "token", user: { token: "from-kubeconfig" } },
      {
        name: "cert",
        user: {
          "client-certificate-data": Buffer.from("CERT").toString("base64"),
          "client-key-data": Buffer.from("KEY").toString("base64"),
        },
      },
    ],
    contexts: [
      { name: "by-token", context: { cluster: "c", user: "token", namespace: "mine" } },
      { name: "by-cert", context: { cluster: "c", user: "cert" } },
      { name: "broken", context: { cluster: "gone", user: "cert" } },
    ],
    "current-context": "by-token",
  };
  let kubeconfig: string;

  // The library takes seconds to load on a busy machine: that must not count as the time of a test.
  beforeAll(() => import("@kubernetes/client-node"), minutes(1));

  beforeEach(async () => {
    kubeconfig = join(folder, "config");
    await writeFile(kubeconfig, JSON.stringify(document));
  });

  test("can contain a token", async () => {
    const { token, server, ...connection } = await readConnection({ kubeconfig, env: {}, clock });
    expect(connection).toEqual({ ca: "CA", serverName: "kube", namespace: "mine" });
    expect(server.href).toBe("https://localhost:6443/base");
    expect(await token()).toBe("from-kubeconfig");
  });

  test("can contain a client certificate, in another context", async () => {
    const {
      token,
      server: _,
      ...connection
    } = await readConnection({ kubeconfig, context: "by-cert", env: {}, clock });
    expect(connection).toEqual({ ca: "CA", cert: "CERT", key: "KEY", serverName: "kube" });
    expect(await token()).toBeUndefined();
  });

  test("can contain a plugin, which is not run for each request", async () => {
    const runs = join(folder, "runs");
    const credential = {
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      status: { token: "plugged" },
    };
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: "sh",
      args: ["-c", `echo run >> '${runs}'; echo '${JSON.stringify(credential)}'`],
      interactiveMode: "Never",
    };
    const users = [{ name: "token", user: { exec } }];
    await writeFile(kubeconfig, JSON.stringify({ ...document, users }));
    const connection = await readConnection({ kubeconfig, env: {}, clock });
    for (let call = 0; call < 5; call++) expect(await connection.token()).toBe("plugged");
    expect(await readFile(runs, "utf8")).toBe("run\n");
  });

  test("can contain a plugin that hangs: the last credentials are used, and it runs once at a time", async () => {
    const runs = join(folder, "runs");
    const status =
      '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"plugged","expirationTimestamp":"2020-01-01T00:00:00Z"}}';
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: "sh",
      args: [
        "-c",
        `if [ -e '${runs}' ]; then echo hangs >> '${runs}'; exec sleep 20; fi; echo run > '${runs}'; echo '${status}'`,
      ],
      interactiveMode: "Never",
    };
    await writeFile(kubeconfig, JSON.stringify({ ...document, users: [{ name: "token", user: { exec } }] }));
    const connection = await readConnection({ kubeconfig, env: {}, clock });
    await clock.advance(seconds(10));
    const tokens = Promise.all([connection.token(), connection.token()]);
    await vi.waitFor(async () => expect(await readFile(runs, "utf8")).toMatch(/hangs/));
    await clock.advance(seconds(10));
    expect(await tokens).toEqual(["plugged", "plugged"]);
    expect(await readFile(runs, "utf8")).toBe("run\nhangs\n");
  });

  /** Writes the kubeconfig with another server, and the proxy-url of the cluster. */
  const withProxy = (server: string, proxyUrl: string | undefined) => {
    const cluster = { server, ...(proxyUrl === undefined ? {} : { "proxy-url": proxyUrl }) };
    return writeFile(kubeconfig, JSON.stringify({ ...document, clusters: [{ name: "c", cluster }] }));
  };

  test.each([
    ["of the kubeconfig, also for localhost", "https://localhost:6443", "http://in.example:1", "http://in.example:1"],
    ["of the kubeconfig, not of the environment", "https://k.example", "http://in.example:1", "http://in.example:1"],
    ["of the environment", "https://k.example", undefined, "http://env.example:2"],
    ["of the environment, but not for localhost", "https://localhost:6443", undefined, undefined],
  ])("has the proxy %s", async (_, server, proxyUrl, expected) => {
    await withProxy(server, proxyUrl);
    const env = { HTTPS_PROXY: "http://me:hidden@env.example:2" };
    const connection = await readConnection({ kubeconfig, env, clock });
    expect(connection.proxies?.displayFor(connection.server)).toBe(expected);
  });

  test("with a proxy-url that is not one of HTTP is an error that does not repeat it", async () => {
    await withProxy("https://k.example", "socks5://me:hidden@proxy.example");
    const read = readConnection({ kubeconfig, env: {}, clock });
    await expect(read).rejects.toThrow('proxy-url of the cluster "c" is not the URL of an HTTP proxy');
    await expect(read).rejects.not.toThrow("hidden");
  });

  test("without any context is an error", async () => {
    const empty = join(folder, "empty");
    await writeFile(empty, "apiVersion: v1\nkind: Config\n");
    await expect(readConnection({ kubeconfig: empty, env: {}, clock })).rejects.toThrow(
      `--kubeconfig: ${empty} has no contexts; give another file`,
    );
  });

  test.each([
    ["context", "nope", 'has no context "nope"; select one of: by-token, by-cert, broken'],
    ["cluster", "broken", 'has no cluster "gone", which its context "broken" names'],
  ])("without the %s is an error", async (_, context, message) => {
    await expect(readConnection({ kubeconfig, context, env: {}, clock })).rejects.toThrow(message);
  });

  test("that does not exist is an error", async () => {
    const missing = join(folder, "missing");
    await expect(readConnection({ kubeconfig: missing, env: {}, clock })).rejects.toThrow(
      `--kubeconfig: cannot read ${missing}`,
    );
  });
});
