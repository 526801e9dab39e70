import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FakeNameServer } from "#src/platform/names/fake-name-server.testing.ts";

const domain = "bystander.test";
/** The issuers of the bystander that the platform has not asked yet when the abuse begins. */
const numberOfIssuers = 64;

/** Names for 127.0.0.1 at which the bystander has issuers. */
export const bystanderNames: readonly string[] = Array.from(
  { length: numberOfIssuers },
  (_, n) => `issuer-${n}.${domain}`,
);

/** The domain of the abuser, whose name server never responds. */
export const silentDomain = "abuser.test";

/** Without user namespaces, the platform has the name servers of the machine, and the bystander no issuer with a name. */
const hasNamespaces = spawnSync("unshare", ["--map-root-user", "--mount", "true"]).status === 0;

/** The name server of the platform. It knows the bystander's names, and is silent about all others. */
export class Names {
  readonly #server: FakeNameServer;
  /** The prefix that makes a command run with this name server. */
  readonly launcher: readonly string[];

  private constructor(server: FakeNameServer, launcher: readonly string[]) {
    this.#server = server;
    this.launcher = launcher;
  }

  /** @param folder for the configuration of the resolver */
  static async start(folder: string): Promise<Names> {
    const server = await FakeNameServer.start((name) => (name.endsWith(domain) ? { a: ["127.0.0.1"] } : "silent"));
    const file = join(folder, "resolv.conf");
    await writeFile(file, `nameserver ${server.address}\n`);
    const script = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
    const launcher = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, file];
    return new Names(server, hasNamespaces ? launcher : []);
  }

  /** Those of the bystander that resolve. */
  get bystanders(): readonly string[] {
    return hasNamespaces ? bystanderNames : [];
  }

  stop(): void {
    this.#server.stop();
  }
}
