import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import { PlatformError, sendJson } from "#test/support/harness/send-json.ts";
import { StaticIssuer } from "#test/support/static-issuer.ts";
import { within } from "#test/support/within.ts";
import type { SummaryLine } from "./chapter.ts";
import { showCommand } from "./command-line.ts";
import { formatDuration } from "./format-duration.ts";
import { platformTree } from "./platform-tree.ts";
import type { Screen } from "./screen.ts";

const mainBranch = "repo:example/shop:ref:refs/heads/main";
const pullRequest = "repo:example/shop:pull_request";
const seconds = 20;

/**
 * Shows what a platform does, without Kubernetes: on a platform of its own, an administrator grants a build access, by hand.
 * @throws {Error} if a step does not have the expected result, or the reason of the signal
 */
export async function platformTour(screen: Screen, signal: AbortSignal): Promise<readonly SummaryLine[]> {
  const started = performance.now();
  screen.say(
    "A platform controls access to what a company builds: a tree of groups with repositories, identities that workloads assume with tokens that they already have, and roles that are bound to identities. Muster includes one. An administrator grants a build access, by hand:",
  );
  const folder = await mkdtemp(join(tmpdir(), "muster-tour-"));
  const tokenFile = join(folder, "admin-token");
  const platform = new PlatformProcess(["--data", join(folder, "platform.db"), "--admin-token-file", tokenFile]);
  try {
    const { baseUrl } = await within("starting the platform", seconds, platform.listening(), signal);
    const adminToken = (await readFile(tokenFile, "utf8")).trim();
    await within("the tour of the platform", seconds, new Tour(screen, baseUrl, adminToken).run(), signal);
  } finally {
    await platform.kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  return [{ step: "grant, use and revoke access by hand", result: formatDuration(performance.now() - started) }];
}

class Tour {
  readonly #screen: Screen;
  readonly #url: string;
  readonly #admin: PlatformAdmin;
  readonly #adminToken: string;
  /** The CI system, whose runner hands these tokens to a build. */
  readonly #ci = new StaticIssuer("https://ci.example.com");

  constructor(screen: Screen, url: string, adminToken: string) {
    this.#screen = screen;
    this.#url = url;
    this.#admin = new PlatformAdmin(url, adminToken);
    this.#adminToken = adminToken;
  }

  async run(): Promise<void> {
    const admin = this.#admin;
    const root = await admin.rootGroup();
    const shop = await admin.create("groups", root, {
      name: "shop",
      description: "Everything that the shop team owns",
    });
    for (const name of ["checkout", "node-base"])
      await this.#registry(this.#adminToken, "POST", `repos/${shop.uid}`, { name });
    const builds = await admin.create("identities", shop.uid, {
      name: "builds",
      staticKeys: {
        issuer: this.#ci.issuer,
        subject: mainBranch,
        issuerKeys: await this.#ci.keys(),
        audiences: ["platform"],
      },
    });
    const pull = (await admin.list("roles")).find(({ name }) => name === "registry.pull");
    if (pull === undefined) throw new Error("the platform has no role registry.pull");
    const binding = await admin.create("roleBindings", shop.uid, { identityUid: builds.uid, roleUid: pull.uid });
    this.#screen.show((await platformTree(admin, shop.uid, this.#screen)).map((line) => `    ${line}`));

    const token = await this.#exchange(builds.uid);
    await this.#read(token, shop.uid);
    await this.#denied(token, shop.uid);
    await this.#refused(builds.uid);
    await admin.delete("roleBindings", binding.uid);
    if ((await this.#names(token, shop.uid)).length > 0) throw new Error("the token still reads repositories");
    this.#screen.say("✓ The administrator deletes the role binding. The same token reads nothing from then on.");
    this.#screen.say(
      "Who granted this, why, and what else is granted? With Muster's operator, a manifest in Git says so, and nothing else holds for long.",
    );
  }

  async #exchange(identity: string): Promise<string> {
    const screen = this.#screen;
    screen.say(
      "The build exchanges the token of its CI system for a token of the platform. No secret is stored anywhere.",
    );
    showCommand(
      screen,
      'curl -H "Authorization: Bearer $CI_TOKEN" "$PLATFORM/sts/exchange?identity=$IDENTITY&aud=$PLATFORM"',
    );
    const { token, expiry } = await this.#call(await this.#ci.token(mainBranch, "platform"), identity);
    const lifetime = new Date(expiry).getTime() - Date.now();
    screen.say(`✓ A token of the identity builds, valid for ${Math.round(lifetime / 60_000)} minutes`);
    return token;
  }

  async #read(token: string, group: string): Promise<void> {
    const screen = this.#screen;
    showCommand(screen, 'curl -H "Authorization: Bearer $TOKEN" "$PLATFORM/registry/v2beta1/repos"');
    const names = await this.#names(token, group);
    if (names.length !== 2) throw new Error(`the token must read two repositories, but read: ${names.join(", ")}`);
    screen.say(`✓ It reads the repositories of the group: ${names.join(", ")}`);
  }

  async #denied(token: string, group: string): Promise<void> {
    const error = await failureOf(this.#registry(token, "POST", `repos/${group}`, { name: "payments" }));
    this.#screen.say("It cannot write:");
    this.#screen.say(`✗ ${error}`, { style: "yellow", indent: 4 });
  }

  /** A pull request can run anybody's code, so its token has another subject. */
  async #refused(identity: string): Promise<void> {
    const error = await failureOf(this.#call(await this.#ci.token(pullRequest, "platform"), identity));
    this.#screen.say("A build of a pull request has a token with another subject, and gets nothing:");
    this.#screen.say(`✗ ${error}`, { style: "yellow", indent: 4 });
  }

  #call(subjectToken: string, identity: string): Promise<{ readonly token: string; readonly expiry: string }> {
    const path = `/sts/exchange?${new URLSearchParams({ identity, aud: this.#url }).toString()}`;
    return sendJson({ url: this.#url, token: subjectToken, method: "GET", path });
  }

  async #names(token: string, group: string): Promise<string[]> {
    const { repos } = await this.#registry(token, "GET", `repos?uidp.descendants_of=${encodeURIComponent(group)}`);
    return (repos as { name: string }[]).map(({ name }) => name);
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  #registry(token: string, method: string, path: string, body?: object): Promise<any> {
    return sendJson({ url: this.#url, token, method, path: `/registry/v2beta1/${path}`, body });
  }
}

/** The platform's message of a call that must fail. @throws {Error} if it succeeds */
async function failureOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PlatformError))
    throw new Error(`a call that must be rejected had the result: ${String(error)}`);
  const { code, message } = error.body as { readonly code: number; readonly message: string };
  return `HTTP ${error.status}, code ${code}: ${message}`;
}
