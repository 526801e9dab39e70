import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandRun, runCommand } from "#src/command-line.testing.ts";
import { FormBrowser, LoginPlatform, testIdentity } from "#src/login/login-platform.testing.ts";

/** The group whose identity providers a person logs in at. */
export const group = "a".repeat(40);

interface StoredTokens {
  accessToken: string;
  expiresAt: string;
  refreshToken: string;
}
interface StoredFile {
  current?: string;
  logins: Record<string, { authUrl: string; audiences: string[]; tokens?: StoredTokens }>;
}
interface LoginRun {
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly input?: string;
}

/** For tests of the commands of a person who logs in: a platform, and the person's home folder, which each test has anew. */
export class LoginCommands {
  readonly platform: LoginPlatform;
  home = "";

  private constructor(platform: LoginPlatform) {
    this.platform = platform;
  }

  static async start(): Promise<LoginCommands> {
    return new LoginCommands(await LoginPlatform.start());
  }

  /** Gives the person an empty home folder, and makes the platform respond as it should. */
  reset(): void {
    this.#removeHome();
    this.home = mkdtempSync(join(tmpdir(), "muster-login-"));
    this.platform.requests.length = 0;
    this.platform.intercept = undefined;
  }

  async stop(): Promise<void> {
    this.#removeHome();
    await this.platform.close();
  }

  #removeHome(): void {
    if (this.home !== "") rmSync(this.home, { recursive: true });
  }

  /** The file with the logins. */
  get path(): string {
    return join(this.home, ".config/muster/credentials.json");
  }

  stored(): StoredFile {
    return JSON.parse(readFileSync(this.path, "utf8")) as StoredFile;
  }

  /** The stored tokens of the platform. */
  tokens(): StoredTokens {
    return this.stored().logins[this.platform.url]?.tokens as StoredTokens;
  }

  /** Changes the stored tokens of the platform, as time does. */
  change(changes: Partial<StoredTokens>): void {
    const file = this.stored();
    Object.assign(file.logins[this.platform.url]?.tokens ?? {}, changes);
    writeFileSync(this.path, JSON.stringify(file));
  }

  env(changes: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    return { HOME: this.home, BROWSER: "/bin/true", ...changes };
  }

  run(...args: readonly string[]): Promise<CommandRun> {
    return runCommand(args, { env: this.env() });
  }

  /** The arguments of a first login. */
  get arguments(): readonly string[] {
    return ["login", "--platform-url", this.platform.url, "--group", group];
  }

  /** Logs in, with a person who opens the address that the terminal shows. */
  async logIn(
    args = this.arguments,
    visit: (address: URL) => Promise<unknown> = openAddress,
    options: LoginRun = {},
  ): Promise<CommandRun> {
    let visited: Promise<unknown> = Promise.resolve();
    const result = await runCommand(args, {
      env: this.env(),
      ...options,
      onStderr: (text) => {
        const [address] = /http:\S+\/authorize\?\S+/.exec(text) ?? [];
        if (address !== undefined) visited = visit(new URL(address));
      },
    });
    await visited;
    return result;
  }

  /** The platform is away. */
  disconnect(): void {
    this.platform.intercept = (_, response) => {
      response.destroy();
      return true;
    };
  }

  /** The platform's API: some groups, and an identity with two roles. It accepts the tokens that were not ended. */
  serveApi(accepts: (token: string) => boolean = () => true): void {
    this.platform.intercept = (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", this.platform.url);
      if (!pathname.startsWith("/iam/")) return false;
      const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
      if (!accepts(token)) respond(response, 401, { code: 16, message: "the token was ended", details: [] });
      else if (pathname === `/iam/v2beta1/identities/${testIdentity}`)
        respond(response, 200, { uid: testIdentity, name: "alice" });
      else if (pathname === "/iam/v2beta1/roleBindings")
        respond(response, 200, { roleBindings: ["owner", "viewer"].map(bindingOf) });
      else respond(response, 200, { groups: [], query: searchParams.toString() });
      return true;
    };
  }
}

export function openAddress(address: URL): Promise<unknown> {
  return new FormBrowser().open(address.href);
}

/** When a token expired that is no longer valid. */
export function past(): string {
  return new Date(Date.now() - 1_000).toISOString();
}

/** Responds with JSON. */
export function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function bindingOf(role: string): object {
  return { uid: "u", group: { uid: group, name: "shop" }, role: { uid: "r", name: role } };
}
