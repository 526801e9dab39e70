import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandRun, runCommand } from "#src/command-line.testing.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { type Client, RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";

export const group = `
apiVersion: iam.muster.dev/v1beta1
kind: Group
metadata: {name: shop, namespace: shop}
spec: {parentUid: TEAM, description: The web shop}
---
`;
/** A group, an identity in it, and its role binding. */
export const tree = `${group}
apiVersion: iam.muster.dev/v1beta1
kind: Identity
metadata: {name: ci, namespace: shop}
spec: {groupRef: {name: shop}, claimMatch: {issuer: "https://ci.example.com", subject: "repo:acme/shop"}}
---
apiVersion: iam.muster.dev/v1beta1
kind: RoleBinding
metadata: {name: ci-views, namespace: shop}
spec: {groupRef: {name: shop}, identityRef: {name: ci}, roleRef: {name: ROLE}}
`;

/** The Tenant and the Namespace `shop`. @param groups the uid of the Tenant's group */
export const tenant = (groups: string) => `
apiVersion: iam.muster.dev/v1beta1
kind: Tenant
metadata: {name: shop}
spec: {namespaces: [shop], groups: ["${groups}"], roles: [viewer], claimIssuers: [{issuer: "https://ci.example.com"}]}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
`;

export interface PlanOptions {
  /** Default: of a person who is owner of the root group. */
  readonly token?: string | undefined;
  readonly args?: readonly string[];
  readonly path?: string;
  readonly rootGroup?: string;
  /** Default: the operator's, which is owner of the root group. */
  readonly identity?: string;
  readonly url?: string;
  /** A file; absent: the cluster is in the manifests. */
  readonly kubeconfig?: string;
}

/**
 * For tests of `muster plan`: the platform itself, with the group `team` and the operator's identity, and a cluster in files. `person` is
 * owner of the root group, `stranger` of another group below it.
 */
export class PlanWorld {
  readonly platform: RunningPlatform;
  readonly team: string;
  readonly identity: string;
  readonly person: Client;
  readonly stranger: Client;
  readonly files = mkdtempSync(join(tmpdir(), "muster-plan-"));

  private constructor(
    platform: RunningPlatform,
    { identity, person, stranger, team }: Pick<PlanWorld, "identity" | "person" | "stranger" | "team">,
  ) {
    this.platform = platform;
    this.team = team;
    this.identity = identity;
    this.person = person;
    this.stranger = stranger;
  }

  static async start(): Promise<PlanWorld> {
    const platform = await RunningPlatform.start();
    const { admin, root } = platform;
    const team = await admin.group(root, "team");
    const person = await platform.callerWith("owner", root);
    const stranger = await platform.callerWith("owner", await admin.group(root, "elsewhere"));
    const identity = await admin.identity(root, "muster");
    await admin.ok("PATCH", `/iam/v2beta1/identities/${identity}?updateMask=description`, {
      description: withRecordedOwner("", "prod"),
    });
    await admin.bind(root, identity, await admin.role("owner"));
    return new PlanWorld(platform, { identity, person, stranger, team });
  }

  async stop(): Promise<void> {
    rmSync(this.files, { recursive: true });
    await this.platform.stop();
  }

  /** Runs `muster plan` with manifests on standard input, in which TEAM is the uid of `team`, and ROLE is viewer. */
  plan(
    text: string,
    {
      args = [],
      path = "",
      rootGroup = this.platform.root,
      identity = this.identity,
      token = this.person.token,
      url = this.platform.url,
      kubeconfig,
    }: PlanOptions = {},
  ): Promise<CommandRun> {
    const tokenFile = join(this.files, "token");
    writeFileSync(tokenFile, token ?? "");
    const settings = {
      "--platform-url": url,
      "--token-file": tokenFile,
      "--identity": identity,
      "--root-group": rootGroup,
      "--allowed-role": "viewer",
      "--owner-id": "prod",
      "--service-account-issuer": "https://kubernetes.example.com",
    };
    const cluster = kubeconfig === undefined ? ["--offline"] : ["--kubeconfig", kubeconfig];
    const input = text.replaceAll("TEAM", this.team).replaceAll("ROLE", "viewer");
    return runCommand(["plan", "-f", "-", ...cluster, ...Object.entries(settings).flat(), ...args], {
      input,
      env: { PATH: path },
    });
  }
}
