import { afterAll, beforeAll, expect, it } from "vitest";
import { charts, helm, type ChartValues } from "#test/deploy/helm.ts";
import { imageValues, operatorNamespace } from "#test/node/try-out.ts";
import { isReady, musterObject } from "#test/support/harness/muster-objects.ts";
import { describeWithTarget } from "./describe-with-target.ts";
import { ExternalPlatform } from "./external-platform.ts";
import { kubectl } from "./kubectl.ts";
import { createRestricted, removeDefinitions, removeNamespace } from "./restricted-namespace.ts";

/** A release for each, beside each other in one namespace: without a class, and with one. */
const releases = [
  { name: "muster", operatorClass: "", namespace: "shop" },
  { name: "muster-blue", operatorClass: "blue", namespace: "shop-blue" },
] as const;
const namespaces = [operatorNamespace, "external", "shop", "shop-blue"];

describeWithTarget("the charts muster-crds and muster with a platform of their own", (target) => {
  const inNamespace = () => ["--namespace", operatorNamespace, ...target().helmFlags];
  let platform: ExternalPlatform;
  let root = "";

  beforeAll(async () => {
    const { admin } = target();
    for (const name of namespaces) await createRestricted(admin, name);
    platform = await ExternalPlatform.start(target(), "external");
    const role = "--clusterrole=system:service-account-issuer-discovery";
    const everybody = "--group=system:unauthenticated";
    await kubectl(target(), ["create", "clusterrolebinding", "public-token-keys", role, everybody]);
    await helm(["upgrade", "--install", "muster-crds", "muster-crds", "--wait", ...inNamespace()]);
  });
  afterAll(async () => {
    const { admin } = target();
    await helm(["uninstall", "muster-crds", ...inNamespace()]);
    await removeDefinitions(admin);
    await kubectl(target(), ["delete", "clusterrolebinding", "public-token-keys"]);
    for (const name of namespaces.toReversed()) await removeNamespace(admin, name);
  });

  it.each(releases)("install the release $name, which passes its test", async (one) => {
    const { admin, image } = target();
    const { settings, tenant } = await platform.bootstrap(
      "--owner-id=e2e",
      `--tenant-namespace=${one.namespace}`,
      ...(one.operatorClass === "" ? [] : ["--class", one.operatorClass]),
    );
    const { MUSTER_IDENTITY: identity, MUSTER_ROOT_GROUP: rootGroup = "" } = settings;
    root = rootGroup;
    const values: ChartValues = {
      ...imageValues(image),
      userRoles: one.operatorClass === "",
      settings: {
        platformUrl: platform.url,
        identity,
        rootGroup,
        ownerId: "e2e",
        allowedRole: ["viewer"],
        ...(one.operatorClass === "" ? {} : { class: one.operatorClass }),
      },
      tenants: { [tenant.metadata.name]: { ...tenant["spec"], class: undefined } },
    };
    await helm(["upgrade", "--install", one.name, `${charts}/muster`, "--wait", ...inNamespace()], values);
    expect(await helm(["test", one.name, "--logs", ...inNamespace()])).toContain("can assume its identity");
    const group = musterObject("Group", one.namespace, one.namespace, { parentUid: root });
    await admin.apply(group);
    await admin.waitFor(group, isReady);
  });

  it("uninstall one release beside the other, which goes on", async () => {
    const { admin } = target();
    const [plain, blue] = releases;
    const uninstall = (name: string) => helm(["uninstall", name, ...inNamespace()]);
    const groupOf = (namespace: string, name: string) => musterObject("Group", namespace, name, { parentUid: root });
    await expect(uninstall(plain.name)).rejects.toThrow("groups.iam.muster.dev: 1 (shop/shop)");
    await kubectl(target(), ["delete", "mgroup", "--all", "--namespace", plain.namespace]);
    await uninstall(plain.name);

    const another = groupOf(blue.namespace, "another");
    await admin.apply(another);
    await admin.waitFor(another, isReady);
    await expect(uninstall(blue.name)).rejects.toThrow("groups.iam.muster.dev: 2");
    await kubectl(target(), ["delete", "mgroup", "--all", "--namespace", blue.namespace]);
    await uninstall(blue.name);
  });
});
