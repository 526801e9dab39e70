import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, expectTypeOf, it } from "vitest";
import { customResourceDefinition } from "#src/api/crd.ts";
import type { Status } from "#src/api/status.ts";
import { OperatorTelemetry } from "#src/commands/operator/telemetry.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { observeOrphans } from "#src/reconcile/observe/orphans.ts";
import { Store } from "#src/kube/store.ts";
import type { CachedTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import { createLog } from "#src/telemetry/log.ts";
import { OperatorMetrics } from "#src/telemetry/operator-metrics.ts";
import { fillKinds, kubectlResources } from "../../../scripts/kinds-in-deploy.ts";
import { referencePages } from "../../../scripts/reference-page.ts";
import { type ExternalRepo, repoDefinition, repoKind } from "./invented-kind.testing.ts";
import type { Manifest } from "./memory-kube.ts";
import { lostResponses, owner, root } from "./memory-platform.ts";
import { type Fault, Scenario } from "./scenario.ts";

/** The kinds of Muster and one that does not exist, to show that a kind is one schema and one description. */
const withRepo = [...kinds, repoKind];

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const shop: Manifest = { kind: "Group", name: "shop", spec: { parentUid: root, policy } };
const images = {
  kind: "Repo",
  name: "images",
  spec: { groupRef: { name: "shop" }, description: "first", bundles: ["base"], policy },
} satisfies Manifest;

function start(fault: Fault = {}) {
  const changes: string[] = [];
  const scenario = new Scenario(
    fault,
    ({ resource }, step) => {
      if (step.do === "create" || step.do === "update" || step.do === "delete")
        changes.push(`${step.do} ${resource.kind} ${resource.metadata.name}`);
    },
    withRepo,
  );
  const { kube, platform } = scenario;
  /** The repository on the platform that the object `images` manages. */
  const external = () => {
    const status = kube.find("Repo", "images")?.status as Status | undefined;
    return platform.created().find(({ uid }) => uid === status?.uid) as ExternalRepo;
  };
  /** Applies a whole tree, and returns once all of it is Ready. */
  const apply = async (...manifests: readonly Manifest[]) => {
    for (const manifest of manifests) kube.apply(manifest);
    await scenario.until("Ready", () => scenario.differences(manifests).length === 0);
  };
  return { scenario, kube, platform, changes, external, apply };
}

describe("an invented kind", () => {
  it("is one schema and one description, in at most 150 lines", async () => {
    const text = await readFile(new URL("./invented-kind.testing.ts", import.meta.url), "utf8");
    const lines = text.trimEnd().split("\n").length;
    console.info(`${lines} lines`);
    expect(lines).toBeLessThanOrEqual(150);
  });

  it("does not compile if a part is missing", () => {
    /** The properties of `T` that may be left out. */
    type Optional<T> = { [K in keyof T]-?: Omit<T, K> extends T ? K : never }[keyof T];
    expectTypeOf<Optional<typeof repoKind>>().toBeNever();
    expectTypeOf<Optional<(typeof repoKind)["definition"]>>().toBeNever();
    expectTypeOf<Optional<(typeof repoKind)["collection"]>>().toBeNever();
    // @ts-expect-error: the name is that of another kind.
    const misnamed: typeof repoKind = { ...repoKind, name: "Group" };
    expect(misnamed.name).not.toBe(repoDefinition.kind);
  });

  it("is created with its marker after its group, and becomes Ready", async () => {
    const { apply, changes, external, scenario } = start();
    await apply(images, shop);
    expect(changes).toEqual(["create Group shop", "create Repo images"]);
    expect(external()).toMatchObject({ name: "images", bundles: ["base"] });
    expect(external().description).toMatch(/^first \[muster:[0-9a-f]{8}-[0-9a-f]{16}\]$/);
    expect(scenario.process.failures).toEqual([]);
  });

  it("is updated after an edit", async () => {
    const { apply, external, changes } = start();
    await apply(shop, images);
    await apply(shop, { ...images, spec: { ...images.spec, description: "second", bundles: ["base", "tools"] } });
    expect(external()).toMatchObject({
      description: expect.stringMatching(/^second /),
      bundles: ["base", "tools"],
    });
    expect(changes.at(-1)).toBe("update Repo images");
  });

  it("is corrected after drift, which the resync detects", async () => {
    const { apply, external, platform, scenario } = start();
    await apply(shop, images);
    platform.set("repos", { ...external(), bundles: [] });
    await scenario.resync();
    await scenario.until("corrected", () => external().bundles.length === 1);
    expect(scenario.events).toContain("DriftCorrected images");
  });

  it("is re-created after its deletion on the platform", async () => {
    const { apply, external, platform, scenario } = start();
    await apply(shop, images);
    const { uid } = external();
    platform.remove("repos", uid);
    await scenario.resync();
    await scenario.until("re-created", () => scenario.differences([shop, images]).length === 0);
    expect(external().uid).not.toBe(uid);
  });

  it("is adopted by its name if the spec allows it", async () => {
    const { apply, external, platform, scenario } = start();
    const existing = { uid: `${root}/eeeeeeeeeeeeeeee`, name: "images", description: "by hand", bundles: [] };
    platform.set("repos", existing);
    const spec = { groupUid: root, bundles: ["base"], policy: { ...policy, adoption: "IfExists" } };
    await apply({ ...images, spec });
    expect(external()).toMatchObject({ uid: existing.uid, bundles: ["base"] });
    expect(scenario.events).toContain("Adopted images");
  });

  it("is deleted before its group, in whatever order the objects are deleted", async () => {
    for (const manifests of [
      [shop, images],
      [images, shop],
    ]) {
      const { apply, changes, kube, platform, scenario } = start();
      await apply(shop, images);
      for (const manifest of manifests) kube.remove(manifest);
      await scenario.until("deleted", () => kube.objects().length === 0);
      expect(changes.slice(2)).toEqual(["delete Repo images", "delete Group shop"]);
      expect(platform.created()).toEqual([]);
      expect(scenario.process.failures).toEqual([]);
    }
  });

  it.each(lostResponses)("exists once after the response to its POST was lost: %s", async (how) => {
    const { apply, platform, scenario } = start({ lose: { post: 1, how } });
    await apply(shop, images);
    await scenario.pass(60_000);
    await scenario.resync();
    await scenario.until("at rest", () => scenario.differences([shop, images]).length === 0);
    expect(platform.created()).toHaveLength(2);
  });

  it("is not created without the capability to list its collection", async () => {
    const { kube, platform, scenario } = start();
    const capabilities = kinds.map(({ collection }) => collection.listCapability);
    platform.set("roles", { uid: owner, name: "owner", capabilities });
    kube.apply({ ...images, spec: { groupUid: root, policy } });
    await scenario.pass(20_000);
    expect(JSON.stringify(kube.find("Repo", "images")?.status)).toContain("lacks CAP_REPO_LIST");
    expect(platform.created()).toEqual([]);
  });

  it("has metrics of its own", async () => {
    const { apply, platform, scenario } = start();
    await apply(shop, images);
    const { sources } = scenario.process;
    const telemetry = new OperatorTelemetry(createLog({ level: "error" }), new OperatorMetrics());
    const tenants = new Store<CachedTenant>({ indexes: {} });
    telemetry.watchSources(sources, { tenants, class: "" }, scenario.process.undeclared);
    const orphan = { uid: `${root}/eeeeeeeeeeeeeeee`, name: "orphan", description: "" };
    const marked = platform.created().find(({ uid }) => uid.startsWith(root))?.description ?? "";
    platform.set("repos", { ...orphan, description: marked.replace(/.{4}\]$/, "0000]") });
    await scenario.resync();
    telemetry.resynced(repoKind, 1, observeOrphans(sources, repoKind));
    const text = await telemetry.metrics.text();
    expect(text).toContain('muster_objects{kind="Repo",ready="True",reason="Available"} 1');
    expect(text).toContain('muster_snapshot_age_seconds{kind="Repo"}');
    expect(text).toContain('muster_orphans{kind="Repo"} 1');
  });
});

it("the list of kinds is read where a command starts only, and received as a value by everything else", async () => {
  const src = new URL("../../../src/", import.meta.url);
  const readers: string[] = [];
  for (const file of globSync("{api,commands,kinds,kube,platform-client,reconcile,runtime,telemetry}/**/*.ts", {
    cwd: src,
  }))
    if (!/\.(test|testing)\.ts$/.test(file) && (await readFile(new URL(file, src), "utf8")).includes("/kinds.ts"))
      readers.push(file);
  expect(readers.toSorted()).toEqual([
    "commands/access/open-access.ts",
    "commands/doctor/doctor.ts",
    "commands/import/import.ts",
    "commands/operator/start.ts",
    "commands/plan/operator.ts",
    "commands/plan/plan.ts",
    "commands/uninstall/uninstall-check.ts",
    "commands/why/why.ts",
  ]);
});

describe("what is generated from an invented kind", () => {
  const manifest = async (file: string) => {
    const path = `deploy/kustomize/${file}`;
    return fillKinds(await readFile(new URL(`../../../${path}`, import.meta.url), "utf8"), withRepo, path);
  };

  it("is a CustomResourceDefinition with printer columns", () => {
    const { metadata, spec } = customResourceDefinition(repoDefinition);
    expect(metadata.name).toBe("repos.iam.muster.dev");
    const columns = spec.versions.flatMap(({ additionalPrinterColumns }) => additionalPrinterColumns);
    const narrow = columns.filter((column) => !("priority" in column));
    expect(narrow.map(({ name }) => name)).toEqual(["Group", "Ready", "Reason", "Age"]);
  });

  it("are the operator's permissions", async () => {
    expect(await manifest("base/cluster-role.yaml")).toMatch(/resourceNames: \[.*, repos\.iam\.muster\.dev,/);
    expect(await manifest("base/cluster-role.yaml")).toMatch(/resources: \[.*, repos, tenants\] #/);
    expect(await manifest("base/cluster-role.yaml")).toMatch(/resources: \[.*, repos\/status, tenants\/status\]/);
  });

  it("are the permissions of people", async () => {
    expect((await manifest("base/user-roles.yaml")).match(/resources: \[.*, repos\] #/g)).toHaveLength(3);
  });

  it("is its entry in the admission policies", async () => {
    expect(await manifest("components/admission-policy/policy.yaml")).toMatch(/resources: \[.*, repos\] #/);
    expect(await manifest("base/reserved-policy.yaml")).toMatch(/resources: \[.*, repos, .*, repos\/status, tenants,/);
    expect(await manifest("base/operator-writes-policy.yaml")).toMatch(/resources: \[.*, repos, tenants\] #/);
  });

  it("is its section of the reference documentation", () => {
    const page = referencePages(withRepo).get("docs/reference/resources/repo.md");
    expect(page).toMatch(
      /^# Repo\n\nFor .*\n\nGenerated .*\n\nRepo is a repository in the registry of the Muster platform\./,
    );
    expect(page).toContain("| `spec.bundles` | list of string | at most 16 items | Bundles of which");
    expect(page).toContain("## Validation");
  });

  it("is its part of the command that uninstalls Muster", () => {
    expect(kubectlResources(withRepo)).toMatch(/,repos\.iam\.muster\.dev$/);
  });
});
