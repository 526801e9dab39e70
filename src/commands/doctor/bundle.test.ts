import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { DoctorWorld, lease, tenant } from "./doctor-world.testing.ts";

let world: DoctorWorld;
beforeAll(async () => {
  world = await DoctorWorld.start();
});
afterAll(() => world.stop());
beforeEach(() => world.reset());

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
  world.cluster.put("tenants", {
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
    spec: { parentUid: world.platform.root, description: everywhere },
    status: {
      error,
      management: everywhere,
      conditions: [condition],
      drift: [{ field: "x", expected: everywhere, actual: everywhere }],
    },
  };
  world.cluster.put("groups", group);
  world.cluster.put("leases", lease({ holderIdentity: everywhere, renewTime: "2020-01-01T00:00:00Z" }));
  world.cluster.put("events", { ...group, kind: "Event" });
  world.cluster.put("secrets", { ...group, kind: "Secret" });
}

it("has what a maintainer needs, and no secret that was planted", async () => {
  plant();
  const path = join(world.folder, "bundle.json");
  const env = {
    SOME_PASSWORD: "s3cr3t-p4ssw0rd",
    HTTP_PROXY: "http://user:s3cr3t-p4ssw0rd@127.0.0.1:9",
    NO_PROXY: "127.0.0.1",
  };
  const { code, stdout, stderr } = await world.doctor(["--bundle", path], env);
  expect(code).toBe(3);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const text = readFileSync(path, "utf8");
  for (const secret of [...planted, world.platform.admin.token ?? ""]) {
    expect(text).not.toContain(secret);
    if (secret !== planted[0]) expect(stdout + stderr).not.toContain(secret);
  }
  expect(world.cluster.calls.filter((call) => call.includes("secrets"))).toEqual([]);
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
  const existing = world.file("existing", "mine");
  const target = join(world.folder, "target");
  const link = join(world.folder, "link");
  symlinkSync(target, link);
  for (const path of [existing, link])
    expect(await world.doctor(["--bundle", path])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--bundle:"),
    });
  expect(readFileSync(existing, "utf8")).toBe("mine");
  expect(existsSync(target)).toBe(false);
});
