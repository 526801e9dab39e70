import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { parseAllDocuments } from "yaml";
import { customResourceDefinition } from "#src/api/crd.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import { runCommand } from "#src/command-line.testing.ts";
import { Gateway } from "#src/commands/access/gateway.testing.ts";
import { ClusterServer } from "#src/commands/reader/cluster-server.testing.ts";
import type { LinkValue } from "#src/commands/why/link.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";

const account = "system:serviceaccount:muster-system:muster-operator";
/** How many lines there are: one for the CRD of each kind, and the others. */
const lines = kinds.length + 11;
const cluster = new ClusterServer();
let folder = "";
let platform: RunningPlatform;
let gateway: Gateway;
let identity = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "muster-doctor-"));
  platform = await RunningPlatform.start();
  gateway = await Gateway.to(platform.url);
  await cluster.listen();
  identity = await platform.makeIdentity(platform.root, "muster", ["127.0.0.1"], account);
  await platform.admin.bind(platform.root, identity, await platform.admin.role("owner"));
  await record("kube-system-uid");
});
afterAll(async () => {
  await cluster.close();
  await gateway.close();
  await platform.stop();
  rmSync(folder, { recursive: true });
});

const record = (owner: string) =>
  platform.admin.ok("PATCH", `/iam/v2beta1/identities/${identity}?updateMask=description`, {
    description: withRecordedOwner("", owner),
  });
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const objectsIn = (path: string) =>
  parseAllDocuments(readFileSync(`deploy/kustomize/base/${path}`, "utf8")).map((one) => one.toJS() as KubeObject);
const definitions = [...kinds.map(({ definition }) => definition), tenantDefinition];
const lease = (spec: object) => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { namespace: "muster-system", name: "muster-operator" },
  spec,
});
const tenant = (reason: string, message: string) => ({
  apiVersion: "iam.muster.dev/v1beta1",
  kind: "Tenant",
  metadata: { name: "shop", generation: 1 },
  spec: { namespaces: ["shop"] },
  status: {
    conditions: [
      {
        type: "Ready",
        status: reason === "Available" ? "True" : "False",
        reason,
        message,
        lastTransitionTime: new Date().toISOString(),
      },
    ],
  },
});

/** A cluster in which nothing is wrong. */
beforeEach(() => {
  cluster.clear();
  gateway.calls.length = 0;
  cluster.put("customresourcedefinitions", ...definitions.map((definition) => customResourceDefinition(definition)));
  cluster.put(
    "validatingadmissionpolicies",
    ...["reserved-policy.yaml", "operator-writes-policy.yaml"].flatMap((name) => objectsIn(name).slice(0, 1)),
  );
  cluster.put("namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "kube-system", uid: "kube-system-uid" },
  });
  cluster.put(
    "leases",
    lease({ holderIdentity: "pod-1", leaseDurationSeconds: 15, renewTime: new Date().toISOString() }),
  );
  cluster.put("tenants", tenant("Available", "m"));
});

function doctor(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}, who = identity) {
  const asAdmin = ["--platform-url", gateway.url, "--token-file", file("token", `${platform.admin.token ?? ""}\n`)];
  const question = ["--identity", who, "--root-group", platform.root];
  const settings = ["--kubeconfig", file("kubeconfig", cluster.kubeconfig), ...asAdmin, ...question];
  return runCommand(["doctor", ...settings, ...args], { env });
}

async function failures(...args: readonly string[]): Promise<readonly LinkValue[]> {
  const { stdout, stderr } = await doctor([...args, "-o", "json"]);
  expect(stdout, stderr).not.toBe("");
  return (JSON.parse(stdout) as { readonly checks: readonly LinkValue[] }).checks.filter(({ state }) => state !== "ok");
}

describe("muster doctor", () => {
  it("passes every line where nothing is wrong, and exits with 0", async () => {
    const { code, stdout, stderr } = await doctor();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`${lines} passed, 0 failed, 0 unknown.\n`);
    for (const check of [
      "network",
      "clock",
      "calls",
      "capabilities",
      "owner id",
      "CRD",
      "policy",
      "RBAC",
      "leader",
      "Tenant",
    ])
      expect(stdout, check).toMatch(new RegExp(`^pass +${check} `, "m"));
    expect(stdout).toContain("are checked in its pod: kubectl -n muster-system exec");
  });

  const crd = customResourceDefinition(definitions[0] as (typeof definitions)[0]);
  const [version] = crd.spec.versions;
  const { policy: _policy, ...fewer } = version?.schema.openAPIV3Schema.properties.spec.properties ?? {};
  const older = structuredClone(crd);
  Object.assign(older.spec.versions[0]?.schema.openAPIV3Schema.properties.spec ?? {}, { properties: fewer });

  it.each<[name: string, line: string, message: string, change: () => void]>([
    [
      "an older CRD",
      "CRD",
      "older than this muster: it does not have spec.policy",
      () => cluster.put("customresourcedefinitions", older),
    ],
    [
      "a policy that does not cover a kind",
      "policy",
      "does not cover groups",
      () => {
        const [policy] = objectsIn("reserved-policy.yaml");
        cluster.put(
          "validatingadmissionpolicies",
          JSON.parse(JSON.stringify(policy).replaceAll("groups", "others")) as KubeObject,
        );
      },
    ],
    [
      "a missing right",
      "RBAC",
      ": patch identities.iam.muster.dev/status.",
      () => {
        cluster.permits = (right) => right !== "patch identities/status";
      },
    ],
    [
      "that all rights are missing, without a list of them",
      "RBAC",
      "permissions that it needs.",
      () => {
        cluster.permits = () => false;
      },
    ],
    [
      "a Lease that nobody renews",
      "leader",
      "pod-1 has not renewed the Lease since 2020",
      () => cluster.put("leases", lease({ holderIdentity: "pod-1", renewTime: "2020-01-01T00:00:00Z" })),
    ],
    [
      "a Tenant that is not Ready",
      "Tenant",
      "what is wrong",
      () => cluster.put("tenants", tenant("RootNotFound", "what is wrong")),
    ],
    [
      "another cluster",
      "owner id",
      "It records the owner id kube-system-uid, and that of this operator is other",
      () =>
        cluster.put("namespaces", {
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name: "kube-system", uid: "other" },
        }),
    ],
  ])("reports %s, and what to do", async (_name, line, message, change) => {
    change();
    expect(await failures()).toMatchObject([
      { link: line, state: "problem", message: expect.stringContaining(message), fix: expect.stringMatching(/./) },
    ]);
    expect(await doctor()).toMatchObject({
      code: 3,
      stderr: `muster doctor: ${lines - 1} passed, 1 failed, 0 unknown.\n`,
    });
  });

  it("reports a Tenant that is not Ready behind more than a page of others", async () => {
    const others = Array.from({ length: 600 }, (_, index) => ({
      ...tenant("Available", "m"),
      metadata: { name: `t-${index}`, generation: 1 },
    }));
    cluster.clear();
    cluster.put("tenants", ...others, tenant("RootNotFound", "what is wrong"));
    expect((await failures()).filter(({ link }) => link === "Tenant")).toMatchObject([
      { subject: "Tenant/shop", reason: "RootNotFound" },
    ]);
  });

  it("reports missing CRDs and policies", async () => {
    cluster.clear();
    const found = await failures();
    expect(found.filter(({ message }) => message === "It is not installed.")).toHaveLength(definitions.length);
    expect(found.filter(({ link }) => link === "policy")).toHaveLength(2);
  });

  it("prints no control character that a CRD has in the name of a field", async () => {
    const newer = structuredClone(crd);
    const fields = newer.spec.versions[0]?.schema.openAPIV3Schema.properties.spec.properties ?? {};
    Object.assign(fields, { "x\u001b[2Jy": { type: "string" } });
    cluster.put("customresourcedefinitions", newer);
    const { stdout } = await doctor();
    expect(stdout).toContain("It is newer: it also has spec.x[2Jy.");
  });

  it("does not conclude anything from what the caller may not read", async () => {
    for (const path of [
      "tenants",
      "subjectaccessreviews",
      "namespaces/kube-system",
      "namespaces/muster-system/leases/muster-operator",
    ])
      cluster.forbidden.add(path);
    for (const { plural } of definitions) cluster.forbidden.add(`customresourcedefinitions/${plural}.iam.muster.dev`);
    const found = await failures();
    expect(found.map(({ state }) => state)).toEqual(found.map(() => "unknown"));
    expect(found).toHaveLength(definitions.length + 4);
    expect(found.filter(({ fix }) => fix?.includes("kubectl create") !== true)).toEqual([]);
  });

  it("prints the command of a fix in Markdown as code, which changes no character of it", async () => {
    cluster.forbidden.add("tenants");
    const { stdout } = await doctor(["-o", "markdown"]);
    expect(stdout).toMatch(/: Ask an administrator to run: ` kubectl create [^`]* --user=ana@example\.com `$/m);
    expect(await failures()).toMatchObject([
      { fix: expect.stringMatching(/run: kubectl .* --user=ana@example\.com$/) },
    ]);
  });

  it("is not healthy if nothing could be checked", async () => {
    cluster.clear();
    for (const path of ["tenants", "subjectaccessreviews", "namespaces/muster-system/leases/muster-operator"])
      cluster.forbidden.add(path);
    for (const { plural } of definitions) cluster.forbidden.add(`customresourcedefinitions/${plural}.iam.muster.dev`);
    for (const name of ["muster-reserved", "muster-operator-writes"])
      cluster.forbidden.add(`validatingadmissionpolicies/${name}`);
    const args = ["doctor", "--kubeconfig", file("kubeconfig", cluster.kubeconfig), "-o", "json"];
    const { code, stdout } = await runCommand(args, { env: { HOME: folder } });
    const { checks, healthy } = JSON.parse(stdout) as { healthy: boolean; checks: readonly LinkValue[] };
    expect([...new Set(checks.map(({ state }) => state))]).toEqual(["unknown"]);
    expect(checks.filter(({ fix = "" }) => fix === "")).toEqual([]);
    expect({ code, healthy }).toEqual({ code: 0, healthy: false });
  });

  it("reports capabilities that the identity lacks", async () => {
    const elsewhere = await platform.admin.group(platform.root, "elsewhere");
    const other = await platform.makeIdentity(platform.root, "other");
    await platform.admin.bind(elsewhere, other, await platform.admin.role("viewer"));
    const { stdout } = await doctor([], {}, other);
    expect(stdout).toMatch(/^FAIL +capabilities .*It lacks CAP_IAM_GROUPS_LIST in /m);
    expect(stdout).toMatch(/^FAIL +owner id .*It records no owner id/m);
  });

  it("reports a platform that does not respond, a proxy and a file without certificates, and prints no password", async () => {
    const args = [
      "--platform-url",
      "https://127.0.0.2:9",
      "--platform-ca",
      file("ca.pem", "no certificate"),
      "--timeout",
      "2s",
    ];
    const env = { HTTPS_PROXY: "http://user:c2lnbmF0dXJl-_x@127.0.0.3:9" };
    const kubeconfig = ["--kubeconfig", file("kubeconfig", cluster.kubeconfig), "--token-file", file("token", "t\n")];
    const { code, stdout } = await runCommand(["doctor", ...kubeconfig, ...args], { env });
    expect(code).toBe(3);
    expect(stdout).toContain("The file contains no certificate.");
    expect(stdout).toMatch(/FAIL +network +platform https:\/\/127\.0\.0\.2:9/);
    expect(stdout).not.toContain("c2lnbmF0dXJl");
  });

  it("reports a clock that differs from the platform's", async () => {
    const server = createServer(
      (_, response) => void response.writeHead(404, { date: "Wed, 01 Jan 2020 00:00:00 GMT" }).end(),
    );
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = [
      "--platform-url",
      url,
      "--token-file",
      file("token", "t\n"),
      "--kubeconfig",
      file("kubeconfig", cluster.kubeconfig),
    ];
    const { stdout } = await runCommand(["doctor", ...args]);
    expect(stdout).toMatch(/FAIL +clock .* s ahead of its clock\./);
  });

  it("uses the operator's settings and identity in its pod", async () => {
    const subject = file("subject", await platform.subjectToken(identity, {}, account));
    const env = {
      KUBERNETES_SERVICE_HOST: "127.0.0.1",
      HOME: folder,
      MUSTER_PLATFORM_URL: platform.url,
      MUSTER_IDENTITY: identity,
      MUSTER_ROOT_GROUP: platform.root,
      MUSTER_ALLOWED_ROLE: "viewer",
      MUSTER_TOKEN_FILE: subject,
      MUSTER_OPERATOR_URL: "http://127.0.0.1:9",
    };
    const { stdout } = await runCommand(["doctor"], { env });
    for (const check of ["configuration", "token", "exchange", "network", "clock", "calls", "capabilities"])
      expect(stdout, check).toMatch(new RegExp(`^pass +${check} `, "m"));
    expect(stdout).toMatch(/^FAIL +operator +http/m);
    // There is no service account here.
    expect(stdout).toMatch(/^FAIL +Kubernetes /m);
    const { MUSTER_ALLOWED_ROLE: _role, ...incomplete } = env;
    const other = await platform.makeIdentity(platform.root, "not-assumed-by-it");
    const wrong = await runCommand(["doctor"], { env: { ...incomplete, MUSTER_IDENTITY: other } });
    expect(wrong.stdout).toMatch(/FAIL +configuration .*allowed-role/);
    expect(wrong.stdout).toMatch(/FAIL +exchange .*The token in --token-file has the issuer/);
    expect(wrong.stdout).not.toContain("eyJ");
  });

  it("only reads, and asks for access reviews", async () => {
    await doctor();
    const methods = new Set(cluster.calls.map((call) => call.replace(/^GET .*/, "GET")));
    expect([...methods].toSorted()).toEqual(["GET", "POST /apis/authorization.k8s.io/v1/subjectaccessreviews"]);
    expect(gateway.calls.every((call) => call.startsWith("GET "))).toBe(true);
  });
});

describe("muster doctor --bundle", () => {
  const planted = ["c2VjcmV0LWluLXRleHQ", "s3cr3t-p4ssw0rd", "eyJhbGciOiJSUzI1NiJ9"];
  const jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2VjcmV0LWluLXRleHQ";
  const everywhere = `Bearer c2VjcmV0LWluLXRleHQ ${jwt} https://user:s3cr3t-p4ssw0rd@db.example c2VjcmV0LWluLXRleHQ`;

  /** Objects with secrets in every field that people and other machines write. */
  function plant(): void {
    const { spec, status, ...rest } = tenant("PlatformUnavailable", everywhere);
    const annotations = {
      "example.com/note": everywhere,
      "kubectl.kubernetes.io/last-applied-configuration": everywhere,
    };
    const metadata = {
      ...rest.metadata,
      annotations,
      labels: { note: "c2VjcmV0LWluLXRleHQ" },
      managedFields: [everywhere],
    };
    cluster.put("tenants", {
      ...rest,
      metadata,
      spec,
      status: { ...status, ownerId: everywhere, class: everywhere },
    });
    const error = { code: "UNAVAILABLE", message: everywhere, reason: everywhere, time: everywhere };
    const condition = {
      type: "Ready",
      status: "False",
      reason: everywhere,
      message: everywhere,
      lastTransitionTime: everywhere,
    };
    const group = {
      apiVersion: "iam.muster.dev/v1beta1",
      kind: "Group",
      metadata: { ...metadata, name: "web", namespace: "shop" },
      spec: { parentUid: platform.root, description: everywhere },
      status: {
        error,
        management: everywhere,
        conditions: [condition],
        drift: [{ field: "x", expected: everywhere, actual: everywhere }],
      },
    };
    cluster.put("groups", group);
    cluster.put("leases", lease({ holderIdentity: everywhere, renewTime: "2020-01-01T00:00:00Z" }));
    cluster.put("events", { ...group, kind: "Event" });
    cluster.put("secrets", { ...group, kind: "Secret" });
  }

  it("has what a maintainer needs, and no secret that was planted", async () => {
    plant();
    const path = join(folder, "bundle.json");
    const env = {
      SOME_PASSWORD: "s3cr3t-p4ssw0rd",
      HTTP_PROXY: "http://user:s3cr3t-p4ssw0rd@127.0.0.1:9",
      NO_PROXY: "127.0.0.1",
    };
    const { code, stdout, stderr } = await doctor(["--bundle", path], env);
    expect(code).toBe(3);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, "utf8");
    for (const secret of [...planted, platform.admin.token ?? ""]) {
      expect(text).not.toContain(secret);
      if (secret !== planted[0]) expect(stdout + stderr).not.toContain(secret);
    }
    expect(cluster.calls.filter((call) => call.includes("secrets"))).toEqual([]);
    expect(JSON.parse(text)).toMatchObject({
      muster: { version: expect.any(String) },
      crds: expect.arrayContaining([expect.objectContaining({ name: "groups.iam.muster.dev" })]),
      tenants: [{ name: "shop", ready: { status: "False", reason: "PlatformUnavailable" } }],
      objects: expect.arrayContaining([
        {
          kind: "Group",
          reasons: { "(not shown)": 1 },
          notReady: [expect.objectContaining({ namespace: "shop", name: "web" })],
        },
      ]),
      checks: expect.arrayContaining([expect.objectContaining({ check: "owner id", state: "ok" })]),
    });
  });

  it("never replaces a file, and follows no symbolic link", async () => {
    const existing = file("existing", "mine");
    const target = join(folder, "target");
    const link = join(folder, "link");
    symlinkSync(target, link);
    for (const path of [existing, link])
      expect(await doctor(["--bundle", path])).toMatchObject({ code: 1, stderr: expect.stringContaining("--bundle:") });
    expect(readFileSync(existing, "utf8")).toBe("mine");
    expect(existsSync(target)).toBe(false);
  });
});
