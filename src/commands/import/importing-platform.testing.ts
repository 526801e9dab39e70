import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { Gateway } from "#src/commands/access/gateway.testing.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";
import type { ImportReport } from "./import-report.ts";

type World = Pick<ImportingPlatform, "platform" | "gateway" | "home" | "team" | "shop" | "ci" | "grant" | "operator">;

/** The command with the platform itself: in the group `team`, a group `shop` with an identity `ci` that is bound to the role viewer. */
export class ImportingPlatform {
  readonly platform: RunningPlatform;
  readonly gateway: Gateway;
  readonly home: string;
  /** Another one in each test. */
  folder = "";
  readonly team: string;
  readonly shop: string;
  readonly ci: string;
  /** The uid of the role binding. */
  readonly grant: string;
  /** The uid of the identity of an operator, which is never imported. */
  readonly operator: string;

  private constructor({ platform, gateway, home, team, shop, ci, grant, operator }: World) {
    this.platform = platform;
    this.gateway = gateway;
    this.home = home;
    this.team = team;
    this.shop = shop;
    this.ci = ci;
    this.grant = grant;
    this.operator = operator;
  }

  /** Starts one for the tests of a file. @returns where to find it once they run */
  static forTests(): { readonly world: ImportingPlatform } {
    const found = {} as { world: ImportingPlatform };
    beforeAll(async () => {
      found.world = await ImportingPlatform.#start();
    });
    beforeEach(() => {
      found.world.folder = mkdtempSync(join(found.world.home, "dir-"));
      found.world.gateway.calls.length = 0;
    });
    afterAll(async () => {
      rmSync(found.world.home, { recursive: true });
      await found.world.gateway.close();
      await found.world.platform.stop();
    });
    return found;
  }

  static async #start(): Promise<ImportingPlatform> {
    const home = mkdtempSync(join(tmpdir(), "muster-import-command-"));
    const platform = await RunningPlatform.start();
    const gateway = await Gateway.to(platform.url);
    const { admin, root } = platform;
    const team = await admin.group(root, "team");
    const shop = await admin.group(team, "shop");
    const ci = await admin.identity(shop, "ci");
    const grant = await admin.bind(shop, ci, await admin.role("viewer"));
    const operator = await admin.identity(root, "operator");
    await admin.ok("PATCH", `/iam/v2beta1/identities/${operator}?updateMask=description`, {
      description: withRecordedOwner("", "prod"),
    });
    await admin.bind(root, operator, await admin.role("owner"));
    return new ImportingPlatform({ platform, gateway, home, team, shop, ci, grant, operator });
  }

  run(group: string, args: readonly string[] = [], token = this.platform.admin.token ?? "") {
    const tokenFile = join(this.home, "token");
    writeFileSync(tokenFile, token);
    const settings = ["--group", group, "--dir", this.folder, "--platform-url", this.gateway.url];
    const cluster = args.includes("--kubeconfig") || args.includes("--no-cluster") ? [] : ["--no-cluster"];
    return runCommand(["import", ...settings, "--token-file", tokenFile, ...cluster, ...args]);
  }

  async report(group: string, args: readonly string[] = [], token?: string) {
    const { code, stdout, stderr } = await this.run(group, ["-o", "json", ...args], token);
    expect(stdout, stderr).not.toBe("");
    return { code, ...(JSON.parse(stdout) as ImportReport) };
  }

  /** The files, with the hashes in their headers. */
  content(): Record<string, string> {
    const paths = readdirSync(this.folder, { recursive: true, encoding: "utf8" });
    const manifests = paths.filter((path) => path.endsWith(".yaml")).toSorted();
    return Object.fromEntries(manifests.map((path) => [path, readFileSync(join(this.folder, path), "utf8")]));
  }

  /** What the operator would do with the files, in an empty cluster. */
  plan(...args: readonly string[]) {
    const flags = ["--root-group", this.platform.root, "--identity", this.operator];
    const offline = ["--offline", "--owner-id", "prod", "--service-account-issuer", "https://kubernetes.example.com"];
    const token = ["--token-file", join(this.home, "token")];
    const platform = ["--platform-url", this.platform.url, ...token, "--allowed-role", "viewer"];
    return runCommand(["plan", "-f", this.folder, ...flags, ...offline, ...platform, ...args]);
  }

  /** The changes that the operator would make, each as its action, the type of the resource, and the fields. Refuses nothing. */
  async plannedChanges(): Promise<readonly string[]> {
    const { changes, refusals } = JSON.parse((await this.plan("-o", "json")).stdout) as {
      changes: { action: string; resource: { noun: string }; fields: { field: string }[] }[];
      refusals: [];
    };
    expect(refusals).toEqual([]);
    return changes.map(({ action, resource, fields }) =>
      [action, resource.noun, ...fields.map(({ field }) => field)].join(" "),
    );
  }
}
