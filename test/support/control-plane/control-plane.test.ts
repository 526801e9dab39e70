import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createLocalJWKSet, jwtVerify } from "jose";
import { Agent, fetch } from "undici";
import { afterEach, expect, it, vi } from "vitest";
import { countRequests, requestsSince } from "./audit.ts";
import { startControlPlane } from "./control-plane.ts";
import { describeWithNewControlPlane } from "./describe-with-control-plane.ts";
import { KubeClient } from "./kube-client.ts";
import { findPrograms } from "./programs.ts";
import { ControlPlaneUnavailable } from "./unavailable.ts";

const namespace = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
const configMap = (name: string, data: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data,
});
/** The processes whose command line contains the folder. */
const processesOf = (folder: string) =>
  execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(folder));

describeWithNewControlPlane(
  "a control plane",
  (controlPlane) => {
    it("is Kubernetes 1.36", async () => {
      expect(await controlPlane().admin.request("GET", "/version")).toMatchObject({ major: "1", minor: "36" });
    });

    it("deletes a namespace with its contents", async () => {
      const { admin } = controlPlane();
      const inside = { ...configMap("inside", {}), metadata: { name: "inside", namespace: "passing" } };
      await admin.apply(namespace("passing"));
      await admin.apply(inside);
      await admin.delete(namespace("passing"));
      await admin.waitUntilGone(namespace("passing"));
      expect(await admin.find(inside)).toBeUndefined();
    });

    it("issues service-account tokens that anyone can verify by discovery", async () => {
      const { admin, url, ca } = controlPlane();
      await admin.apply({
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "muster", namespace: "default" },
      });
      const token = await admin.createToken("default", "muster", { audiences: ["https://platform.example"] });

      const dispatcher = new Agent({ connect: { ca } });
      const json = async (address: string) => (await fetch(address, { dispatcher })).json();
      const discovery = (await json(`${url}/.well-known/openid-configuration`)) as { issuer: string; jwks_uri: string };
      const keys = (await json(discovery.jwks_uri)) as Parameters<typeof createLocalJWKSet>[0];
      const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
        issuer: discovery.issuer,
        audience: "https://platform.example",
      });
      expect(payload.sub).toBe("system:serviceaccount:default:muster");
      await dispatcher.close();
    });

    it("serves MutatingAdmissionPolicy", async () => {
      const expression = 'object.data.size() > 0 ? [JSONPatch{op: "remove", path: "/data"}] : []';
      const policy = {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "MutatingAdmissionPolicy",
        metadata: { name: "example" },
        spec: {
          matchConstraints: {
            resourceRules: [
              { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
            ],
          },
          failurePolicy: "Fail",
          reinvocationPolicy: "Never",
          mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }],
        },
      };
      expect(await controlPlane().admin.apply(policy)).toHaveProperty("metadata.uid");
    });

    it("denies requests that RBAC does not allow", async () => {
      const { admin, url, ca } = controlPlane();
      await admin.apply({
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "nobody", namespace: "default" },
      });
      const nobody = new KubeClient({ url, ca, token: await admin.createToken("default", "nobody") });
      await expect(nobody.list({ apiVersion: "v1", kind: "Secret" }, { namespace: "default" })).rejects.toMatchObject({
        code: 403,
        reason: "Forbidden",
      });
      await nobody.close();
    });

    it("counts requests by user, verb and resource", async () => {
      const plane = controlPlane();
      const before = await plane.requestCounts();
      await plane.admin.apply(configMap("counted", { a: "1" }));
      await plane.admin.apply(configMap("counted", { a: "2" }));
      await plane.admin.get(configMap("counted", {}));
      await plane.admin.delete(configMap("counted", {}));
      const counts = requestsSince(before, await plane.requestCounts());

      const mine = counts.filter((row) => row.user === "admin" && row.resource === "configmaps");
      expect(mine.map(({ verb, code, count }) => [verb, code, count])).toEqual(
        expect.arrayContaining([
          ["patch", 201, 1],
          ["patch", 200, 1],
          ["get", 200, 1],
          ["delete", 200, 1],
        ]),
      );
      expect(countRequests(mine, (_, isWrite) => isWrite)).toBe(3);
    });

    it("waitFor resolves when the object is as wanted, and reports the last seen object after its timeout", async () => {
      const { admin } = controlPlane();
      const waited = admin.waitFor(configMap("awaited", {}), (object) => object?.["data"]?.step === "2");
      await admin.apply(configMap("awaited", { step: "1" }));
      await admin.apply(configMap("awaited", { step: "2" }));
      expect(await waited).toMatchObject({ data: { step: "2" } });
      await expect(
        admin.waitFor(configMap("awaited", {}), (object) => object === undefined, { timeoutMs: 200 }),
      ).rejects.toThrow(/last seen: .*"step":"2"/);
    });

    it("leaves no process when its parent is killed, and no process and no folder when it is stopped", async () => {
      const killed = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), "--json"], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      const [line] = (await once(createInterface({ input: killed.stdout }), "line")) as [string];
      const folder = join((JSON.parse(line) as { kubeconfig: string }).kubeconfig, "..");
      expect(processesOf(folder)).toHaveLength(3);
      killed.kill("SIGKILL");
      await once(killed, "exit");
      await vi.waitUntil(() => processesOf(folder).length === 0, { timeout: 10_000 });
      await rm(folder, { recursive: true });

      const stopped = await startControlPlane();
      expect(processesOf(stopped.folder)).toHaveLength(3);
      await stopped.stop();
      expect(processesOf(stopped.folder)).toEqual([]);
      expect(existsSync(stopped.folder)).toBe(false);
    });

    it("stops when its signal aborts while it starts", async () => {
      await expect(startControlPlane({ signal: AbortSignal.timeout(500) })).rejects.toThrow("aborted");
    });

    it("uses the programs of KUBEBUILDER_ASSETS, which end with their parent too", async () => {
      const { etcd, apiServer } = await findPrograms();
      const assets = await mkdtemp(join(tmpdir(), "muster-assets-"));
      // These programs ignore the end of their standard input, as upstream's do: here it is a pipe that never ends.
      execFileSync("mkfifo", [join(assets, "never-ends")]);
      for (const { command, args } of [etcd, apiServer]) {
        const script = `#!/bin/sh\nexec 0<>${assets}/never-ends\nexec ${command} ${args[0]} "$@"\n`;
        await writeFile(join(assets, String(args[0])), script, { mode: 0o755 });
      }
      vi.stubEnv("KUBEBUILDER_ASSETS", assets);
      const lines: string[] = [];
      const plane = await startControlPlane({ progress: (line) => lines.push(line) });
      expect(plane.hasControllers).toBe(false);
      expect(lines).toEqual([expect.stringContaining("deleted namespaces will stay")]);
      await plane.stop();
      expect(processesOf(plane.folder)).toEqual([]);
      await rm(assets, { recursive: true });
    });

    afterEach(() => void vi.unstubAllEnvs());
  },
  { audit: true },
);

it("reports how to fix KUBEBUILDER_ASSETS when a program is missing", async () => {
  vi.stubEnv("KUBEBUILDER_ASSETS", "/nowhere");
  const found = findPrograms();
  await expect(found).rejects.toThrow(ControlPlaneUnavailable);
  await expect(found).rejects.toThrow("KUBEBUILDER_ASSETS: /nowhere does not contain the program etcd");
  vi.unstubAllEnvs();
});
