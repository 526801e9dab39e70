import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from "jose";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import { sendJson } from "#test/support/harness/send-json.ts";
import { listenOnLoopback } from "#test/support/loopback.ts";

export interface WorkloadPlatformOptions {
  /** Issuers of other systems, for which this process publishes the keys. */
  readonly issuers: readonly string[];
  /** Further flags of `muster platform`. */
  readonly flags?: readonly string[];
}

const repo = "checkout";

interface Parts {
  readonly url: string;
  readonly folder: string;
  readonly process: PlatformProcess;
  readonly admin: PlatformAdmin;
  readonly group: string;
  readonly viewer: string;
  readonly privateKey: CryptoKey;
  readonly issuer: Server;
}

/** A real `muster platform` with a group that has one repo, and the issuers of the workloads that use it. */
export class WorkloadPlatform {
  readonly url: string;
  /** A folder for files of the tests, which is removed at the end. */
  readonly folder: string;
  /** The name of the repo, which a workload can list. */
  readonly repo = repo;
  readonly #process: PlatformProcess;
  readonly #admin: PlatformAdmin;
  readonly #group: string;
  readonly #viewer: string;
  readonly #privateKey: CryptoKey;
  readonly #issuer: Server;

  private constructor({ url, folder, process, admin, group, viewer, privateKey, issuer }: Parts) {
    this.url = url;
    this.folder = folder;
    this.#process = process;
    this.#admin = admin;
    this.#group = group;
    this.#viewer = viewer;
    this.#privateKey = privateKey;
    this.#issuer = issuer;
  }

  static async start({ issuers, flags = [] }: WorkloadPlatformOptions): Promise<WorkloadPlatform> {
    const folder = await mkdtemp(join(tmpdir(), "muster-workload-"));
    const { key, certificate } = selfSignedCertificate();
    await writeFile(join(folder, "issuer.pem"), certificate);
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "1", alg: "ES256", use: "sig" }] });
    const issuer = createServer({ key, cert: certificate }, (_, response) => response.end(keys));
    const jwks = `https://127.0.0.1:${await listenOnLoopback(issuer)}/keys`;
    const process = new PlatformProcess([
      "--data",
      join(folder, "platform.db"),
      ...issuers.flatMap((url) => ["--trusted-issuer", `${url},ca=${join(folder, "issuer.pem")},jwks=${jwks}`]),
      ...flags,
    ]);
    const { baseUrl: url, rootGroup } = await process.listening();
    const token = (await readFile(join(folder, "platform.db.admin-token"), "utf8")).trim();
    const admin = new PlatformAdmin(url, token);
    const { uid: group } = await admin.create("groups", rootGroup, { name: "shop" });
    const body = { name: repo };
    await sendJson({ url, token, method: "POST", path: `/registry/v2beta1/repos/${group}`, body });
    const viewer = (await admin.list("roles")).find(({ name }) => name === "viewer")?.uid ?? "";
    return new WorkloadPlatform({ url, folder, process, admin, group, viewer, privateKey, issuer });
  }

  /** Creates an identity that may read the group. @returns its uid */
  async createIdentity(name: string, authentication: object): Promise<string> {
    const { uid } = await this.#admin.create("identities", this.#group, { name, ...authentication });
    await this.#admin.create("roleBindings", this.#group, { identityUid: uid, roleUid: this.#viewer });
    return uid;
  }

  async deleteIdentity(uid: string): Promise<void> {
    await this.#admin.delete("identities", uid);
  }

  /** A token of another system, valid for ten minutes. */
  subjectToken(claims: Readonly<Record<string, unknown>>): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT({ iat: now, exp: now + 600, ...claims })
      .setProtectedHeader({ alg: "ES256", kid: "1" })
      .sign(this.#privateKey);
  }

  /** The names of the repos that the holder of `token` can list. */
  async repos(token: string): Promise<string[]> {
    const page = await sendJson({ url: this.url, token, method: "GET", path: "/registry/v2beta1/repos" });
    return page.repos.map(({ name }: { readonly name: string }) => name);
  }

  async stop(): Promise<void> {
    this.#issuer.close();
    await this.#process.stop();
    await rm(this.folder, { recursive: true });
  }
}
