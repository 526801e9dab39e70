import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { startConnectProxy } from "#src/http/connect-proxy.testing.ts";
import { json, serve } from "#src/platform-client/misbehaving-server.testing.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-bootstrap-"));
afterAll(() => rmSync(folder, { recursive: true }));
const adminTokenFile = join(folder, "token");
writeFileSync(adminTokenFile, "admin", { mode: 0o600 });

function bootstrap(env: Readonly<Record<string, string>>) {
  const address = ["--platform-url", "http://platform.example", "--admin-token-file", adminTokenFile];
  return runCommand(["bootstrap", ...address, "--owner-id", "me"], {
    env: { ...env, MUSTER_ISSUER: "https://issuer.example", MUSTER_OUTPUT: "json" },
  });
}

it("calls the platform through the proxy of the environment, and prints what kubectl applies", async () => {
  const root = "a".repeat(40);
  const created = { uid: `${root}/${"1".repeat(16)}`, name: "muster" };
  const lists = { groups: [{ uid: root }], roles: [{ uid: "b".repeat(40) }], identities: [], roleBindings: [] };
  const platform = await serve((request, response) =>
    json(200, request.method === "GET" ? lists : created)(request, response),
  );
  const proxy = await startConnectProxy({ targetPort: Number(platform.url.port), credentials: "me:hidden" });
  try {
    const { code, stdout, stderr } = await bootstrap({ http_proxy: `me:hidden@${proxy.url.host}` });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      kind: "List",
      items: [{ kind: "ConfigMap", data: { MUSTER_IDENTITY: created.uid } }, { kind: "Tenant" }],
    });
    expect(proxy.tunnels).toEqual(["platform.example:80"]);
  } finally {
    await proxy.close();
    await platform.close();
  }
});

it("names the variable of a proxy that is not valid, without its value", async () => {
  const { code, stderr } = await bootstrap({ HTTP_PROXY: "socks5://me:hidden@proxy.example" });
  expect(code).toBe(2);
  expect(stderr).toContain("the environment variable HTTP_PROXY is not the URL of an HTTP proxy");
  expect(stderr).not.toContain("hidden");
});
