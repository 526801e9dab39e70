import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { builtinRoles } from "#src/platform/authorization/builtin-roles.ts";
import { AuthoredWriter } from "#src/platform/audit/authored-writer.ts";
import { advisories } from "#src/platform/collections/advisories.ts";
import { groups } from "#src/platform/collections/groups.ts";
import { groupInvites } from "#src/platform/collections/group-invites.ts";
import { identities } from "#src/platform/collections/identities.ts";
import { repos } from "#src/platform/collections/repos.ts";
import { roleBindings } from "#src/platform/collections/role-bindings.ts";
import { newRootUid, newUidIn } from "#src/platform/contract/uid.ts";
import { GroupInviteSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { GroupSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/group_pb.ts";
import { IdentitySchema } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { RoleBindingSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { RepoSchema } from "#src/platform/gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { AdvisorySchema } from "#src/platform/gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import { initialize } from "#src/platform/initialize.ts";
import { setLimits } from "#src/platform/resources/resource-limits.ts";
import { SqliteDatabase } from "#src/platform/store/sqlite/sqlite-database.ts";

/** The issuer of all identities with static keys. */
export const staticIssuer = "https://issuer.example.com";
/** The audience of their tokens: the host name of the platform. */
export const staticAudience = "127.0.0.1";

const islands = 10_000;
const bindingsOfDoomed = 5_000;
const invitesOfAbandoned = 20_000;
const teams = 200;
const reposOfTeam = 100;
const identitiesOfTeam = 10;
const advisoryCount = 10_000;
/** Resources per commit. */
const batch = 500;

/** A tenant: a root group, and an identity with static keys that owns it. */
export interface Tenant {
  readonly root: string;
  readonly owner: string;
}

/** The data of the two tenants. An identity's subject is its uid. */
export interface Tenants {
  readonly bystander: Tenant & { readonly identities: readonly string[] };
  readonly abuser: Tenant & {
    readonly groups: readonly string[];
    readonly identities: readonly string[];
    /** A viewer in 10,000 groups, none of which contains another. */
    readonly islander: string;
    /** Identities with 5,000 role bindings each. */
    readonly doomed: readonly string[];
    /** Groups with 20,000 expired invites each, and nothing else. */
    readonly abandoned: readonly string[];
    /** The deepest group that the tree can have. */
    readonly deepest: string;
  };
  /** The private key with which all static keys verify. */
  readonly key: JWK;
}

/** A SQLite file with the two tenants, and the file with the token of the platform's admin. */
interface FilledTenants {
  readonly path: string;
  readonly adminTokenFile: string;
  readonly tenants: Tenants;
}

/** Fills a SQLite file in a folder with the two tenants, unless an earlier run has done it. */
export async function filledTenants(folder: string): Promise<FilledTenants> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, "tenants");
  const [adminTokenFile, description] = [`${path}.admin-token`, `${path}.json`];
  // The description is written when the file is complete.
  if (existsSync(description))
    return { path, adminTokenFile, tenants: JSON.parse(await readFile(description, "utf8")) as Tenants };
  for (const file of [path, adminTokenFile]) await rm(file, { force: true });
  const tenants = await fill(path, adminTokenFile);
  await writeFile(description, JSON.stringify(tenants));
  return { path, adminTokenFile, tenants };
}

/** Runs the code of a Create, for many resources in one commit. */
async function fill(path: string, adminTokenFile: string): Promise<Tenants> {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const issuerKeys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "static", alg: "ES256" }] });
  const now = Date.now();
  const database = new SqliteDatabase(path, { cacheMiB: 256 });
  await initialize(database, adminTokenFile, now);
  const filler = new Filler(database, issuerKeys, now);
  const bystander = await filler.tenant("bystander");
  const bystanderIdentities: string[] = [];
  for (let n = 0; n < 300; n++) bystanderIdentities.push(await filler.identity(bystander.root, `worker-${n}`));

  const abuser = await filler.tenant("abuser");
  const [teamUids, identityUids]: [string[], string[]] = [[], []];
  for (let team = 0; team < teams; team++) {
    const group = await filler.group(abuser.root, `team-${team}`);
    teamUids.push(group);
    for (let n = 0; n < identitiesOfTeam; n++) identityUids.push(await filler.identity(group, `deployer-${n}`));
    for (let n = 0; n < reposOfTeam; n++) await filler.repo(group, `image-${team}-${n}`);
  }
  for (let n = 0; n < advisoryCount; n++) await filler.advisory(abuser.root, n);
  const islander = await filler.identity(abuser.root, "islander");
  for (let n = 0; n < islands; n++) {
    const group = await filler.group(abuser.root, `island-${n}`);
    await filler.bind(group, islander, "viewer");
  }
  const doomed: string[] = [];
  for (let n = 0; n < 2; n++) {
    const identity = await filler.identity(abuser.root, `doomed-${n}`);
    doomed.push(identity);
    for (let binding = 0; binding < bindingsOfDoomed; binding++)
      await filler.bind(teamUids[binding % teams] ?? abuser.root, identity, "viewer");
  }
  const abandoned: string[] = [];
  for (let n = 0; n < 2; n++) {
    const group = await filler.group(abuser.root, `abandoned-${n}`);
    abandoned.push(group);
    for (let invite = 0; invite < invitesOfAbandoned; invite++) await filler.expiredInvite(group);
  }
  let deepest = abuser.root;
  // A group at the maximum depth of 64 could contain nothing.
  for (let depth = 1; depth < 63; depth++) deepest = await filler.group(deepest, `level-${depth}`);
  await filler.commit();
  await database.close();
  return {
    bystander: { ...bystander, identities: bystanderIdentities },
    abuser: { ...abuser, groups: teamUids, identities: identityUids, islander, doomed, abandoned, deepest },
    key: await exportJWK(privateKey),
  };
}

type Insert = (tx: AuthoredWriter) => Promise<void>;

/** Creates resources, many in one commit. */
class Filler {
  readonly #database: SqliteDatabase;
  readonly #issuerKeys: string;
  readonly #now: number;
  #waiting: Insert[] = [];

  constructor(database: SqliteDatabase, issuerKeys: string, now: number) {
    this.#database = database;
    this.#issuerKeys = issuerKeys;
    this.#now = now;
  }

  async tenant(name: string): Promise<Tenant> {
    const root = newRootUid();
    const resource = create(GroupSchema, { uid: root, name, ...this.#times() });
    await this.#add(async (tx) => {
      await groups.insert(tx, resource);
      // The tenants have more than the default limits allow, so that what is expensive is expensive.
      await setLimits(tx, root, {}, { resources: 10_000_000, roleBindingsPerIdentity: 10_000_000 });
    });
    const owner = await this.identity(root, "owner");
    await this.bind(root, owner, "owner");
    return { root, owner };
  }

  async group(parent: string, name: string): Promise<string> {
    const resource = create(GroupSchema, { uid: newUidIn(parent), name, ...this.#times() });
    await this.#add((tx) => groups.insert(tx, resource));
    return resource.uid;
  }

  async identity(parent: string, name: string): Promise<string> {
    const uid = newUidIn(parent);
    const value = {
      issuer: staticIssuer,
      subject: uid,
      issuerKeys: this.#issuerKeys,
      audiences: [staticAudience],
      expirationTime: timestampFromMs(this.#now + 30 * 24 * 3_600_000),
    };
    const relationship = { case: "staticKeys", value } as const;
    const times = { ...this.#times(), lastSeenTime: timestampFromMs(this.#now) };
    const resource = create(IdentitySchema, { uid, name, relationship, ...times });
    await this.#add((tx) => identities.insert(tx, resource));
    return uid;
  }

  async bind(group: string, identityUid: string, role: "owner" | "viewer"): Promise<void> {
    const roleUid = builtinRoles.find(({ name }) => name === role)?.uid ?? "";
    const { createTime } = this.#times();
    const resource = create(RoleBindingSchema, { uid: newUidIn(group), identityUid, roleUid, createTime });
    await this.#add((tx) => roleBindings.insert(tx, resource));
  }

  async expiredInvite(group: string): Promise<void> {
    const uid = newUidIn(group);
    const roleUid = builtinRoles.find(({ name }) => name === "viewer")?.uid ?? "";
    const expirationTime = timestampFromMs(this.#now - 1);
    const resource = create(GroupInviteSchema, {
      uid,
      roleUid,
      keyId: uid.slice(-16),
      expirationTime,
      ...this.#times(),
    });
    await this.#add((tx) => groupInvites.insert(tx, resource));
  }

  async repo(group: string, name: string): Promise<void> {
    const description = "An image that a pipeline has built and tested, and which other teams use.";
    const resource = create(RepoSchema, { uid: newUidIn(group), name, description, ...this.#times() });
    await this.#add((tx) => repos.insert(tx, resource));
  }

  async advisory(group: string, n: number): Promise<void> {
    const resource = create(AdvisorySchema, {
      uid: newUidIn(group),
      advisoryId: `MUSTER-${n}`,
      artifactName: `artifact-${n % 100}`,
      artifactType: "apk",
      componentName: `component-${n % 1_000}`,
      componentType: "go-module",
      aliases: [`CVE-2026-${n}`, `GHSA-${n}`],
      ...this.#times(),
    });
    await this.#add((tx) => advisories.insert(tx, resource));
  }

  async commit(): Promise<void> {
    const inserts = this.#waiting;
    this.#waiting = [];
    await this.#database.write(async (writer) => {
      const tx = new AuthoredWriter(writer, { kind: "host", command: "bench abuse" }, this.#now);
      for (const insert of inserts) await insert(tx);
    });
  }

  async #add(insert: Insert): Promise<void> {
    if (this.#waiting.push(insert) >= batch) await this.commit();
  }

  #times() {
    const time = timestampFromMs(this.#now);
    return { createTime: time, updateTime: time };
  }
}
