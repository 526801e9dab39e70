import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { startConnectProxy } from "#src/http/connect-proxy.testing.ts";
import { formatCredentials } from "#src/login/credentials.ts";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { type Behaviour, json, rejects, serve } from "#src/platform-client/misbehaving-server.testing.ts";
import { closeServer, listenOnLoopback, portOf } from "#test/support/loopback.ts";

let home = "";
let close = async () => {};
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "muster-api-"));
});
afterEach(async () => {
  rmSync(home, { recursive: true });
  await close();
});

const accessToken = "the-access-token";

/** Stores a login, as `muster login` does. */
function storeLogin(url: string, changes: { readonly platformCa?: string } = {}): void {
  const folder = join(home, ".config/muster");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const login = { authUrl: url, through: { group: "g" }, audiences: [], ...changes };
  const tokens = { accessToken, expiresAt: Date.now() + 3_600_000 };
  const credentials = { current: url, logins: new Map([[url, { ...login, tokens }]]) };
  writeFileSync(join(folder, "credentials.json"), formatCredentials(credentials), { mode: 0o600 });
}

/** Starts a platform that responds in this order, and logs in. */
async function platform(...behaviours: readonly Behaviour[]) {
  const server = await serve(...behaviours);
  ({ close } = server);
  storeLogin(server.url.origin);
  return server;
}

async function api(args: readonly string[], input = "") {
  const result = await runCommand(["api", ...args], { env: { HOME: home, MUSTER_DATA: "platform.db" }, input });
  expect(result.stdout + result.stderr).not.toContain(accessToken);
  return result;
}

const groups = ["GET", "/iam/v2beta1/groups"];

describe("muster api", () => {
  it("prints the response as JSON or YAML", async () => {
    const { requests } = await platform(json(200, { name: "shop", list: ["a"] }));
    expect(await api(groups)).toEqual({
      code: 0,
      stdout: '{\n  "name": "shop",\n  "list": [\n    "a"\n  ]\n}\n',
      stderr: "",
    });
    expect((await api([...groups, "-o", "yaml"])).stdout).toBe("name: shop\nlist:\n  - a\n");
    expect(requests[0]).toMatchObject({ authorization: `Bearer ${accessToken}`, url: "/iam/v2beta1/groups", body: "" });
  });

  it("calls the platform of --platform-url with the token of --token-file instead of a login, and sends it once", async () => {
    const server = await serve(json(200, { name: "shop" }), rejects(401, 16));
    ({ close } = server);
    const file = join(home, "token");
    writeFileSync(file, `${accessToken}\n`);
    const asFile = ["--platform-url", server.url.origin, "--token-file", file];
    expect(await api([...groups, ...asFile])).toMatchObject({ code: 0, stderr: "" });
    expect(server.requests[0]).toMatchObject({ authorization: `Bearer ${accessToken}` });
    expect(await api([...groups, ...asFile])).toMatchObject({
      code: 26,
      stderr: expect.stringContaining("replace the file of --token-file"),
    });
    expect(server.requests).toHaveLength(2);
    expect(await api([...groups, "--token-file", file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--platform-url (or MUSTER_PLATFORM_URL) is required with --token-file"),
    });
  });

  it("sends fields, or JSON of a file or of standard input", async () => {
    const { requests } = await platform(json(200, {}));
    const file = join(home, "group.json");
    writeFileSync(file, '{"name":"file"}');
    await api(["POST", "/g", "-f", "name=shop", "-f", "verified:=true"]);
    await api(["PATCH", "/g?updateMask=name", "--data", `@${file}`]);
    await api(["PUT", "/g", "--data", "@-"], '{"name":"input"}');
    await api(["PUT", "/g", "--data", '{"name":"text"}']);
    await api(["DELETE", "/g", "--field", "name=shop"]);
    expect(requests.map(({ body, method, url }) => [method, url, body])).toEqual([
      ["POST", "/g", '{"name":"shop","verified":true}'],
      ["PATCH", "/g?updateMask=name", '{"name":"file"}'],
      ["PUT", "/g", '{"name":"input"}'],
      ["PUT", "/g", '{"name":"text"}'],
      ["DELETE", "/g?name=shop", ""],
    ]);
  });

  it("prints nothing for an empty response, and another document as it is", async () => {
    await platform(json(200, undefined), (_, response) => void response.end("a text"));
    expect(await api(["DELETE", "/g"])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect((await api(["GET", "/metrics"])).stdout).toBe("a text");
  });

  it("prints each resource of all pages as a record", async () => {
    const { requests } = await platform(
      json(200, { groups: [{ uid: "a" }, { uid: "b" }], nextPageToken: "next" }),
      json(200, { groups: [], nextPageToken: "last" }),
      json(200, { groups: [{ uid: "c" }] }),
    );
    expect((await api([...groups, "--paginate", "-f", "name=shop"])).stdout).toBe(
      '{"uid":"a"}\n{"uid":"b"}\n{"uid":"c"}\n',
    );
    expect(requests.map(({ url }) => url)).toEqual([
      "/iam/v2beta1/groups?name=shop&page_size=200",
      "/iam/v2beta1/groups?name=shop&page_size=200&page_token=next",
      "/iam/v2beta1/groups?name=shop&page_size=200&page_token=last",
    ]);
  });

  it("does not read pages without end, nor of what is not a list", async () => {
    await platform(json(200, { groups: [{ uid: "a" }], nextPageToken: "next" }));
    expect(await api([...groups, "--paginate"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the platform repeats a page"),
    });
    await close();
    await platform(json(200, { uid: "a" }));
    expect(await api([...groups, "--paginate"])).toMatchObject({
      code: 1,
      stderr: "muster api: --paginate: /iam/v2beta1/groups does not return a list\n",
    });
  });

  it.each([
    [400, 3, 13, "INVALID_ARGUMENT"],
    [404, 5, 15, "A resource that you may not see is not found either"],
    [409, 6, 16, "ALREADY_EXISTS"],
    [403, 7, 17, "Ask an owner of the group for a role"],
    [429, 8, 18, "Retry in 7 s."],
    [400, 9, 19, "FAILED_PRECONDITION"],
    [501, 12, 22, "/openapi.json has all methods"],
    [503, 14, 24, "Retry in 7 s."],
  ])("exits by the code of the error: HTTP %d, code %d", async (status, code, exitCode, fix) => {
    await platform(rejects(status, code, { "retry-after": "7" }));
    const result = await api(groups);
    expect(result).toMatchObject({ code: exitCode, stdout: "" });
    expect(result.stderr).toContain(`muster api: GET /iam/v2beta1/groups: `);
    expect(result.stderr).toContain(`: rejected with ${code}\n`);
    expect(result.stderr).toContain(fix);
  });

  it("prints the fields of an error, without what moves the cursor", async () => {
    const details = [
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [{ field: "name", description: "must match\u001b[2J a pattern" }],
      },
    ];
    await platform(json(400, { code: 3, message: "Invalid\u0007 argument", details }));
    expect((await api(["POST", "/g", "-f", "name=?"])).stderr).toBe(
      "muster api: POST /g: INVALID_ARGUMENT: Invalid argument\n  name: must match[2J a pattern\n",
    );
  });

  it("reports what is not the platform, and whether a write may have had an effect", async () => {
    await platform((_, response) => void response.writeHead(502).end("<html>"));
    expect((await api(groups)).stderr).toContain("returned HTTP 502, which is not a response of the platform");
    await close();
    await platform((_, response) => void response.destroy());
    const read = await api(groups);
    expect(read).toMatchObject({ code: 1, stderr: expect.stringContaining("is not available: socket hang up\n") });
    expect((await api(["POST", "/g"])).stderr).toContain(
      "Whether the call had an effect is unknown: read the resource",
    );
  });

  it("waits for a slow response as long as --timeout says", async () => {
    await platform((_, response) => void response.write("{"));
    expect(await api([...groups, "--timeout", "50ms"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no response within 0.05 s"),
    });
  });

  it("uses the login of the last platform, or the one that is named", async () => {
    const server = await platform(json(200, {}));
    const here = server.url.origin;
    const path = join(home, ".config/muster/credentials.json");
    const file = JSON.parse(readFileSync(path, "utf8")) as { current?: string; logins: Record<string, object> };
    const there = "http://127.0.0.1:1";
    file.logins[there] = file.logins[here] ?? {};
    const write = (current: string | undefined) => writeFileSync(path, JSON.stringify({ ...file, current }));
    write(there);
    expect(await api(groups)).toMatchObject({ code: 1, stderr: expect.stringContaining(`${there} is not available`) });
    expect(await api([...groups, "--platform-url", `${here}/`])).toMatchObject({ code: 0 });
    // After a logout, no other platform takes the place of the current one.
    write(undefined);
    expect(await api(groups)).toEqual({
      code: 26,
      stdout: "",
      stderr: `muster api: you are not logged in to the platform that you used last. Name one of the others with --platform-url: ${here}, ${there}\nMore: docs/reference/errors.md#not-logged-in\n`,
    });
  });

  it("does not follow a redirect with the token", async () => {
    const { requests } = await platform(
      (_, response) => void response.writeHead(307, { location: "/elsewhere" }).end(),
    );
    expect(await api(groups)).toMatchObject({ code: 1, stderr: expect.stringContaining("returned HTTP 307") });
    expect(requests).toHaveLength(1);
  });

  it("calls the platform through the proxy of the environment, and trusts the authorities of the login", async () => {
    const { certificate, key } = selfSignedCertificate({ names: ["platform.example"] });
    const server = createServer({ cert: certificate, key }, (_, response) => response.end('{"ok":true}'));
    await listenOnLoopback(server);
    const proxy = await startConnectProxy({
      targetPort: portOf(server),
      credentials: "me:hidden",
    });
    const call = () => {
      const env = { HOME: home, HTTPS_PROXY: `http://me:hidden@${proxy.url.host}` };
      return runCommand(["api", ...groups], { env });
    };
    try {
      const platformCa = join(home, "ca.pem");
      writeFileSync(platformCa, certificate);
      storeLogin("https://platform.example", { platformCa });
      expect(await call()).toEqual({ code: 0, stdout: '{\n  "ok": true\n}\n', stderr: "" });
      expect(proxy.tunnels).toEqual(["platform.example:443"]);
      storeLogin("https://platform.example");
      expect(await call()).toMatchObject({ code: 1, stderr: expect.stringContaining("self-signed certificate") });
    } finally {
      await proxy.close();
      void closeServer(server);
    }
  });

  it.each([
    ["an unknown method", ["FETCH", "/g"], 'METHOD: "FETCH" is not valid'],
    ["no path", ["GET"], "PATH is required"],
    ["a path and its method in the other order", ["/g", "GET"], 'METHOD: "/g" is not valid'],
    ["pages of a write", ["POST", "/g", "--paginate"], "--paginate is for GET"],
    ["data that is not JSON", ["POST", "/g", "--data", "name=shop"], "--data: the text is not JSON"],
    ["a path elsewhere", ["GET", "https://evil.example/"], "is not a path of the API"],
    ["a flag that is near another one", [...groups, "--paginat"], 'did you mean "--paginate"?'],
  ])("exits with 2 for %s", async (_, args, message) => {
    const { requests } = await platform(json(200, {}));
    expect(await api(args)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
    expect(requests).toEqual([]);
  });

  it("names a file with the body that is missing", async () => {
    await platform(json(200, {}));
    expect(await api(["POST", "/g", "--data", "@/nowhere/x.json"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--data: "),
    });
  });
});
