import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CommandRun, runCommand } from "#src/command-line.testing.ts";
import { ClusterServer } from "#src/commands/reader/cluster-server.testing.ts";
import { connectReader } from "#src/commands/reader/connect-reader.ts";
import { Gateway } from "./gateway.testing.ts";
import { RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";

let platform: RunningPlatform;
let gateway: Gateway;
let cluster: ClusterServer;
let folder = "";
const apiVersion = "iam.muster.dev/v1beta1";
/** The uids of a small company. */
const uids: Record<string, string> = {};

const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

/** Runs a command of `muster access` with a token; without a cluster unless arguments name one. */
function access(token: string, ...args: readonly string[]): Promise<CommandRun> {
  const without = args.includes("--kubeconfig") ? [] : ["--no-cluster"];
  return runCommand(
    ["access", ...args, "--platform-url", gateway.url, "--token-file", file("token", `${token}\n`), ...without],
    { env: {} },
  );
}
const asAdmin = (...args: readonly string[]) => access(platform.admin.token ?? "", ...args);

async function tokenOf(identity: string): Promise<string> {
  const response = await platform.exchange(await platform.subjectToken(identity), identity);
  return response.body.token;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "muster-access-"));
  platform = await RunningPlatform.start();
  gateway = await Gateway.to(platform.url);
  cluster = new ClusterServer();
  await cluster.listen();
  const { admin, root } = platform;
  const shop = (uids["shop"] = await admin.group(root, "shop"));
  const web = (uids["web"] = await admin.group(shop, "web"));
  uids["ci"] = await admin.identity(shop, "ci");
  uids["robot"] = await admin.identity(web, "robot");
  const custom = await admin.ok("POST", `/iam/v2beta1/roles/${root}`, {
    name: "creator",
    capabilities: ["CAP_REPO_CREATE"],
  });
  uids["creator"] = custom.uid;
  uids["ciBinding"] = await admin.bind(shop, uids["ci"], await admin.role("editor"));
  uids["robotBinding"] = await admin.bind(web, uids["robot"], custom.uid);
  // Reads what is in shop, and nothing above it.
  uids["reader"] = await platform.makeIdentity(web, "caller");
  await admin.bind(shop, uids["reader"], await admin.role("viewer"));
  cluster.put("rolebindings", {
    apiVersion,
    kind: "RoleBinding",
    metadata: { namespace: "shop", name: "ci-edits", labels: { "argocd.argoproj.io/instance": "shop-app" } },
    spec: { expiresAt: "2030-01-01T00:00:00Z" },
    status: { uid: uids["ciBinding"] },
  });
  const creates = { namespace: "shop", name: "creates" };
  cluster.put("roles", { apiVersion, kind: "Role", metadata: creates, status: { uid: custom.uid } });
  const labels = { "kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": "flux-system" };
  const metadata = { namespace: "shop", name: "web", labels };
  cluster.put("groups", { apiVersion, kind: "Group", metadata, status: { uid: web } });
});
afterAll(async () => {
  await cluster.close();
  await gateway.close();
  await platform.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  gateway.calls.length = 0;
  cluster.calls.length = 0;
  cluster.failure = undefined;
});

const withCluster = () => ["--kubeconfig", file("kubeconfig", cluster.kubeconfig)];
const json = (run: CommandRun) => JSON.parse(run.stdout) as Record<string, unknown>;

describe("muster access who-can", () => {
  it("prints each identity with what grants the capability, and who can assume it", async () => {
    const { code, stdout } = await asAdmin("who-can", "repo.create", "--group", "shop/web");
    expect(code).toBe(0);
    const [heading, , titles, ci, robot, , note] = stdout.split("\n");
    expect(heading).toBe("2 identities have repo.create in root/shop/web.");
    expect(titles).toMatch(/^IDENTITY +ASSUMED BY +ROLE +GROUP +BOUND SINCE +LAST SEEN +DECLARED BY$/);
    expect(ci).toMatch(
      /^root\/shop\/ci +issuer https:\/\/issuer.example.com, subject ci +editor +root\/shop +20\S+Z +never +unknown$/,
    );
    expect(robot).toMatch(/^root\/shop\/web\/robot +.* creator +root\/shop\/web /);
    expect(note).toBe(
      "By which objects these are declared is unknown: the cluster was not read (--no-cluster is set).",
    );
  });

  it("says what is unknown to a caller that cannot read everything, and never that nobody can", async () => {
    const token = await tokenOf(uids["reader"] ?? "");
    const run = await access(token, "who-can", "CAP_REPO_CREATE", "--group", "web");
    expect(run.stdout).toContain("At least 1 identity has repo.create in …/shop/web.");
    expect(run.stdout).toContain("…/shop/web/robot (possibly)");
    expect(run.stdout).toContain(
      `Unknown: the role bindings of ${platform.root} cannot be read: you need role_bindings.list there.`,
    );
    expect(run.stdout).toContain(
      `Unknown: the capabilities of the role creator cannot be read: you need roles.list in ${platform.root}.`,
    );
    const none = json(await access(token, "who-can", "tag.delete", "--group", "web", "-o", "json"));
    expect(none).toMatchObject({ complete: false, identities: [], possible: [{ identity: { uid: uids["robot"] } }] });
    const text = await access(token, "who-can", "tag.delete", "--group", "web");
    expect(text.stdout).toContain("It is unknown which identities have tag.delete in …/shop/web.");
    const sure = await asAdmin("who-can", "account_associations.create", "--group", "web");
    expect(sure.stdout).toContain("No identity has account_associations.create in root/shop/web.");
  });

  it("accepts the uid of a group, or of a resource in one, that the caller cannot read", async () => {
    const uid = `${uids["web"]}/00000000000000ff`;
    const answer = json(await asAdmin("who-can", "REPO_CREATE", "--group", uid, "-o", "json"));
    expect(answer).toMatchObject({ capability: "repo.create", group: { uid }, complete: true });
    expect(answer["identities"]).toHaveLength(2);
  });

  it("prints Markdown in which names have no meaning", async () => {
    const { stdout } = await asAdmin("who-can", "repo.create", "--group", "web", "-o", "markdown");
    expect(stdout).toContain("**2 identities have repo.create in root/shop/web.**\n\n| IDENTITY | ASSUMED BY |");
    expect(stdout).toContain("| root/shop/ci | issuer https\\://issuer.example.com, subject ci | editor |");
  });
});

describe("muster access of", () => {
  it("prints each role binding with its capabilities, writes first", async () => {
    const { stdout } = await asAdmin("of", "shop/ci");
    expect(stdout).toContain("root/shop/ci has 1 role binding. It is assumed by: issuer https://issuer.example.com,");
    expect(stdout).toMatch(/root\/shop +editor +repo.create, repo.delete, repo.update, \S+ and 9 more +20/);
    const value = json(await asAdmin("of", uids["ci"] ?? "", "-o", "json"));
    expect(value).toMatchObject({ complete: true, roleBindings: [{ role: { name: "editor", builtIn: true } }] });
  });

  it("says where it could not look", async () => {
    const token = await tokenOf(uids["reader"] ?? "");
    const { stdout } = await access(token, "of", "robot");
    expect(stdout).toContain("…/shop/web/robot has 1 role binding that you can read.");
    expect(stdout).toMatch(/…\/shop\/web +creator +unknown /);
    expect(stdout).toContain("Unknown: role bindings in other groups than …/shop and those below");
  });
});

describe("muster access explain", () => {
  const explain = async (who: string, capability: string, group: string, ...more: readonly string[]) =>
    json(await asAdmin("explain", who, capability, "--group", group, ...more, "-o", "json"));

  it.each([
    ["a role binding in the group", "robot", "repo.create", "web", [], "yes"],
    ["a role binding above", "ci", "repo.create", "web", [], "yes"],
    ["a role binding below", "robot", "repo.create", "shop", [], "no"],
    ["another capability", "robot", "repo.delete", "web", [], "no"],
    ["a token for another group", "ci", "repo.create", "shop", ["--scope", "web"], "no"],
    ["a token for the group", "ci", "repo.create", "web", ["--scope", "web"], "yes"],
    [
      "a token for other capabilities",
      "ci",
      "repo.create",
      "web",
      ["--cap", "groups.list", "--cap", "repo.list"],
      "no",
    ],
  ])("answers for %s", async (_, who, capability, group, more, answer) => {
    expect(await explain(who, capability, group, ...more)).toMatchObject({ answer, unknown: [] });
  });

  it("prints the chain with the objects that declare it", async () => {
    const { stdout } = await asAdmin("explain", "ci", "repo.create", "--group", "web", ...withCluster());
    const lines = stdout.split("\n").map((line) => line.trimEnd());
    expect(lines).toEqual([
      "Yes: root/shop/ci has repo.create in root/shop/web.",
      "",
      `Identity  root/shop/ci (${uids["ci"]})`,
      "          assumed by: issuer https://issuer.example.com, subject ci",
      "          last seen: never",
      "          declared by: undeclared",
      `Through   role binding ${uids["ciBinding"]}`,
      expect.stringMatching(/^ {10}created: 20\S+Z$/),
      "          declared by: shop/ci-edits (Argo CD shop-app, expires 2030-01-01T00:00:00Z)",
      "          role: editor (built in), which has repo.create",
      `          in the group above: root/shop (${uids["shop"]})`,
      "            declared by: undeclared",
      `Group     root/shop/web (${uids["web"]})`,
      "          declared by: shop/web (Flux flux-system/apps)",
      "",
    ]);
    expect(new Set(cluster.calls.map((call) => call.split(" ", 1)[0]))).toEqual(new Set(["GET"]));
  });

  it("prints which object declares a role that is not built in", async () => {
    const { stdout } = await asAdmin("explain", "robot", "repo.create", "--group", "web", ...withCluster());
    expect(stdout.split("\n").map((line) => line.trimEnd())).toEqual(
      expect.arrayContaining([
        `          role: creator (${uids["creator"]}), which has repo.create`,
        "            declared by: shop/creates",
      ]),
    );
  });

  it("says why a role binding does not grant it, and which role would", async () => {
    const { stdout } = await asAdmin("explain", "ci", "groups.create", "--group", "web");
    expect(stdout).toContain("No: root/shop/ci does not have groups.create in root/shop/web.");
    expect(stdout).toMatch(/Not through +role binding /);
    expect(stdout).toContain("role: editor (built in), which does not have groups.create");
    expect(stdout).toContain("Built-in roles that have groups.create: owner.");
  });

  it("says that a mistyped uid may not be an identity, and does not send an administrator for identity.list", async () => {
    const uid = `${platform.root}/00000000000000ff`;
    for (const question of [
      ["explain", uid, "groups.create", "--group", "web"],
      ["of", uid],
    ]) {
      const { stdout } = await asAdmin(...question);
      expect(stdout).toContain(`${uid} is not an identity that you can read: the answer holds if it is one.`);
      expect(stdout).toContain("assumed by: unknown: it does not exist, or you need identity.list");
    }
  });

  it("says to what the token is limited", async () => {
    const { stdout } = await asAdmin(
      "explain",
      "ci",
      "repo.create",
      "--group",
      "web",
      "--cap",
      "repo.list",
      "--scope",
      "shop",
    );
    expect(stdout).toContain(
      "No: root/shop/ci, with a token that is limited to repo.list in root/shop, does not have repo.create in root/shop/web.",
    );
    expect(stdout).toContain("role: editor (built in), which has, unlike the token, repo.create");
    expect(stdout).not.toContain("Built-in roles that have");
  });

  it("answers unknown if a role or a group above cannot be read", async () => {
    const token = await tokenOf(uids["reader"] ?? "");
    const { stdout } = await access(token, "explain", "robot", "repo.create", "--group", "web");
    expect(stdout).toContain("Unknown: whether …/shop/web/robot has repo.create in …/shop/web depends on what you");
    expect(stdout).toMatch(/Perhaps +role binding /);
    expect(stdout).not.toContain("No:");
    const granted = await access(token, "explain", "ci", "repo.create", "--group", "web");
    expect(granted.stdout).toContain("Yes: …/shop/ci has repo.create in …/shop/web.");
  });

  it("says no for an identity whose static keys have expired, whatever it is granted", async () => {
    const late = await platform.admin.ok("POST", `/iam/v2beta1/identities/${uids["web"]}`, {
      name: "late",
      staticKeys: {
        issuer: "https://issuer.example.com",
        subject: "late",
        issuerKeys:
          '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"1","alg":"EdDSA"}]}',
        expirationTime: new Date(Date.now() + 400).toISOString(),
      },
    });
    await platform.admin.bind(uids["web"] ?? "", late.uid, await platform.admin.role("viewer"));
    await expect.poll(() => explain("late", "repo.list", "web")).toMatchObject({ answer: "no", through: [{}] });
    await platform.admin.ok("DELETE", `/iam/v2beta1/identities/${late.uid}`);
  });
});

describe("muster access report", () => {
  const asReader = async (...args: readonly string[]) =>
    access(await tokenOf(uids["reader"] ?? ""), "report", "--group", "web", ...args);

  it("prints the group and what is below it, undeclared first, with the objects that declare the others", async () => {
    const run = await asAdmin("report", "--group", "shop", ...withCluster());
    const [heading, , titles, first, ...rest] = run.stdout.split("\n");
    expect(heading).toBe(
      "Access to root/shop and below: 3 identities through 3 role bindings, of which 2 are undeclared.",
    );
    expect(titles).toMatch(/^IDENTITY +ROLE +GROUP +BOUND SINCE +LAST SEEN +DECLARED BY$/);
    expect(first).toMatch(/^root\/shop\/web\/caller +viewer +root\/shop +20\S+Z +never +undeclared$/);
    expect(rest.join("\n")).toMatch(/root\/shop\/ci +editor .* shop\/ci-edits \(Argo CD shop-app, expires 2030/);
    expect(new Set(cluster.calls.map((call) => call.split(" ", 1)[0]))).toEqual(new Set(["GET"]));
  });

  it.each([
    ["csv", '"unknown access","the role bindings of '],
    ["html", "<h2>Unknown: there may be more access than this page shows</h2>"],
    ["json", '"complete": false'],
    ["yaml", "complete: false"],
    ["markdown", "- Unknown: the role bindings of "],
    ["table", "Unknown: the role bindings of "],
  ])("says in %s what the caller cannot read", async (format, text) => {
    expect(await asReader("-o", format)).toMatchObject({ code: 0, stdout: expect.stringContaining(text) });
  });

  it("prints the table for spreadsheets, and a page, alone", async () => {
    expect((await asReader("-o", "csv")).stdout).toMatch(/^\ufeff"STATE",/);
    expect((await asReader("-o", "html")).stdout).toMatch(/^<!doctype html>[^]*<\/html>\n$/);
  });
});

describe("muster access", () => {
  it.each([
    ["a capability that no role has", ["who-can", "repo.crate", "--group", "web"], 'did you mean "repo.create"?'],
    [
      "a word that is near none, with those that exist",
      ["who-can", "push", "--group", "web"],
      "; the capabilities are ",
    ],
    [
      "a role in the place of a capability",
      ["who-can", "registry.push", "--group", "web"],
      "it is a role: give one of ",
    ],
    ["a group that does not exist", ["who-can", "repo.create", "--group", "wob"], 'did you mean "web"?\n'],
    ["an identity that does not exist", ["of", "robto"], 'did you mean "robot"?'],
  ])("reports %s", async (_, args, message) => {
    expect(await asAdmin(...args)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(message) });
  });

  it.each([
    ["who-can", ["who-can", "repo.create"]],
    ["explain", ["explain", "ci", "repo.create"]],
  ])("says of a uid that it is not a group that the caller can read: %s", async (_, args) => {
    const mistyped = `${uids["shop"]}/${"0".repeat(16)}`;
    const note = "is not a group that you can read";
    expect((await asAdmin(...args, "--group", mistyped)).stdout).toContain(`${mistyped} ${note}: the answer holds if`);
    expect((await asAdmin(...args, "--group", "shop")).stdout).not.toContain(note);
  });

  it("lists the candidates if a name is not unique", async () => {
    const other = await platform.admin.group(platform.root, "other");
    const web = await platform.admin.group(other, "web");
    const { code, stderr } = await asAdmin("who-can", "repo.create", "--group", "web");
    expect(code).toBe(1);
    expect(stderr).toContain('--group: 2 are called "web"; give the path, or the uid, of one of them:');
    for (const [path, uid] of [
      ["root/shop/web", uids["web"]],
      ["root/other/web", web],
    ])
      expect(stderr).toContain(`${path}  ${uid}`);
    await platform.admin.ok("DELETE", `/iam/v2beta1/groups/${web}`);
  });

  it.each([
    ["who-can", ["who-can", "repo.create", "--group", "shop"]],
    ["of", ["of", "ci"]],
    ["report", ["report", "--group", "shop"]],
    ["explain", ["explain", "ci", "repo.create", "--group", "shop"]],
  ])("only reads, and makes one call for each page: %s", async (_, args) => {
    expect(await asAdmin(...args)).toMatchObject({ code: 0 });
    expect(gateway.calls.map((call) => call.split("?")[0] ?? "").toSorted()).toEqual([
      "GET /iam/v2beta1/groupInvites",
      "GET /iam/v2beta1/groups",
      "GET /iam/v2beta1/identities",
      "GET /iam/v2beta1/identityProviders",
      "GET /iam/v2beta1/roleBindings",
      "GET /iam/v2beta1/roles",
    ]);
    expect(gateway.calls.every((call) => call.includes("page_size=200"))).toBe(true);
  });

  it("has only reads of the API", async () => {
    const values = { platformUrl: new URL(gateway.url), tokenFile: file("token", "t"), timeout: 1_000 };
    const { signal } = new AbortController();
    const context = { env: {}, signal, stderr: new PassThrough() };
    const reader = await connectReader({ platformCa: undefined, ...values }, context);
    expect(Object.keys(reader.api)).toEqual(["list", "get"]);
    await reader.close();
  });

  it("reports that declarations are unknown if the cluster refuses", async () => {
    cluster.failure = { code: 403, reason: "Forbidden", message: "groups is forbidden" };
    const { code, stdout } = await asAdmin("explain", "ci", "repo.create", "--group", "web", ...withCluster());
    expect(code).toBe(0);
    expect(stdout).not.toContain("declared by:");
    expect(stdout).toMatch(/the cluster was not read \(.*forbidden/);
  });

  it("reports that declarations are unknown if the cluster is not one with Muster", async () => {
    cluster.failure = { code: 404, reason: "NotFound", message: "the server could not find it" };
    const { code, stdout } = await asAdmin("explain", "ci", "repo.create", "--group", "web", ...withCluster());
    expect(code).toBe(0);
    expect(stdout).toContain("the cluster has none of Muster's CRDs: check --context");
    expect(stdout).not.toContain("undeclared");
  });

  it("fails if the kubeconfig that it is given does not exist", async () => {
    const run = await asAdmin("of", "ci", "--kubeconfig", join(folder, "missing"));
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("--kubeconfig: cannot read") });
  });

  it("exits with 26 if the platform does not accept the token, and prints no part of it", async () => {
    const { code, stderr } = await access("eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.secret", "of", "ci");
    expect(code).toBe(26);
    expect(stderr).toContain("UNAUTHENTICATED");
    expect(stderr).not.toContain("secret");
  });

  it("uses the person's login, and exits with 26 without one", async () => {
    const home = join(folder, "home");
    const args = ["access", "of", "ci", "--no-cluster"];
    expect(await runCommand(args, { env: { HOME: home } })).toMatchObject({ code: 26 });
    const login = {
      authUrl: gateway.url,
      through: { group: platform.root },
      audiences: [],
      tokens: {
        accessToken: await tokenOf(uids["reader"] ?? ""),
        expiresAt: new Date(Date.now() + 600_000).toISOString(),
      },
    };
    mkdirSync(join(home, ".config/muster"), { recursive: true, mode: 0o700 });
    const stored = { version: 1, current: gateway.url, logins: { [gateway.url]: login } };
    writeFileSync(join(home, ".config/muster/credentials.json"), JSON.stringify(stored), { mode: 0o600 });
    const run = await runCommand(args, { env: { HOME: home } });
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("…/shop/ci has 1 role binding") });
  });

  it("needs the platform's address with a token file", async () => {
    const run = await runCommand(["access", "of", "ci", "--token-file", file("token", "x")], { env: {} });
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining("--platform-url") });
  });
});
