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

function bootstrap(env: Readonly<Record<string, string>>, platformUrl = new URL("http://platform.example")) {
  const address = ["--platform-url", platformUrl.href, "--admin-token-file", adminTokenFile];
  return runCommand(["bootstrap", ...address, "--owner-id", "me"], {
    env: { ...env, MUSTER_ISSUER: "https://issuer.example", MUSTER_OUTPUT: "json" },
  });
}

it("calls the platform through the proxy of the environment, and prints what kubectl applies", async () => {
  const root = "a".repeat(40);
  const role = { uid: "b".repeat(40) };
  const uid = `${root}/${"1".repeat(16)}`;
  const created = { uid, name: "muster", identity: { uid }, role };
  const lists: Readonly<Record<string, readonly object[]>> = { groups: [{ uid: root }], roles: [role] };
  const platform = await serve((request, response) => {
    const [, name = ""] = /^\/iam\/v2beta1\/(\w+)/.exec(request.url ?? "") ?? [];
    const resources = lists[name] ?? [];
    const page = { [name]: resources, totalCount: resources.length };
    json(200, request.method === "GET" ? page : created)(request, response);
  });
  const proxy = await startConnectProxy({ targetPort: Number(platform.url.port), credentials: "me:hidden" });
  try {
    const { code, stdout, stderr } = await bootstrap({ http_proxy: `me:hidden@${proxy.url.host}` });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      kind: "List",
      items: [{ kind: "ConfigMap", data: { MUSTER_IDENTITY: created.uid } }, { kind: "Tenant" }],
    });
    expect(proxy.tunnels).toEqual(["platform.example:80"]);
    expect(platform.requests.map(({ authorization }) => authorization)).toContain("Bearer admin");
    expect(platform.requests.flatMap(({ method, body }) => (method === "GET" ? [] : [JSON.parse(body)]))).toEqual([
      {
        name: "muster",
        claimMatch: expect.objectContaining({ issuer: "https://issuer.example" }),
        description: expect.stringContaining("[muster-owner:"),
      },
      { identityUid: uid, roleUid: role.uid },
    ]);
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

it("reports a refusal of the platform with its address", async () => {
  const platform = await serve(json(401, { code: 16, message: "the token is not valid", details: [] }));
  try {
    const { code, stderr } = await bootstrap({}, platform.url);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `muster bootstrap: ${platform.url.origin}: list groups: UNAUTHENTICATED: the token is not valid\nMore: docs/reference/errors.md#not-logged-in\n`,
    );
    expect(platform.requests).toHaveLength(1);
  } finally {
    await platform.close();
  }
});
