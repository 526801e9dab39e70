import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { operatorSettings } from "#src/commands/operator/settings.ts";
import platform from "#src/commands/platform/platform.ts";
import { readSettings, variableOf } from "#src/commands/settings/settings.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { parseInitFile } from "#src/platform/init-file.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { applyDefinitions } from "./definitions.ts";
import { kustomize } from "./kustomize.ts";
import { type Mount, Workload } from "./workload.ts";

describeWithControlPlane("deploy/kustomize/overlays/try-out", (controlPlane) => {
  let objects: readonly KubeObject[] = [];
  const found = (kind: string, name: string): KubeObject => {
    const object = objects.find((one) => one.kind === kind && one.metadata.name.startsWith(name));
    if (!object) throw new Error(`${kind} ${name} not found`);
    return object;
  };

  beforeAll(async () => {
    await applyDefinitions(controlPlane().admin);
    objects = await kustomize("overlays/try-out");
  });

  it("is accepted by the API server, and is unchanged when applied again", async () => {
    const { admin } = controlPlane();
    for (const object of objects) await admin.apply(object);
    const first = await Promise.all(objects.map((object) => admin.get(object)));
    for (const object of objects) await admin.apply(object);
    const again = await Promise.all(objects.map((object) => admin.get(object)));
    const generations = (all: readonly KubeObject[]) => all.map(({ metadata }) => metadata.generation);
    expect(generations(again)).toEqual(generations(first));
  });

  describe.each([
    ["Deployment", "muster-operator"],
    ["StatefulSet", "platform"],
  ])("the pods of the %s %s", (kind, name) => {
    it("satisfy the restricted Pod Security Standard of the namespace", async () => {
      const workload = found(kind, name);
      const { metadata, spec } = workload["spec"].template;
      const volumes = [...(spec.volumes ?? []), { name: "data", emptyDir: {} }];
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { ...metadata, name: "example", namespace: workload.metadata.namespace },
        spec: { ...spec, volumes },
      };
      const { admin } = controlPlane();
      await admin.waitFor(
        {
          apiVersion: "v1",
          kind: "ServiceAccount",
          metadata: { name: spec.serviceAccountName, namespace: pod.metadata.namespace },
        },
        (account) => account !== undefined,
      );
      const created = await admin.create(pod, { dryRun: true });
      expect(created["spec"].containers[0].securityContext.readOnlyRootFilesystem).toBe(true);

      const [container] = spec.containers;
      const unrestricted = { ...pod, spec: { ...pod.spec, containers: [{ ...container, securityContext: {} }] } };
      await expect(admin.create(unrestricted, { dryRun: true })).rejects.toThrow('violates PodSecurity "restricted');
    });
  });

  it("projects a token for the platform that the API server rejects", async () => {
    const { spec } = found("Deployment", "muster-operator")["spec"].template;
    const [projected] = spec.volumes;
    const [{ serviceAccountToken }] = projected.projected.sources;
    expect(serviceAccountToken).toMatchObject({ audience: "muster", expirationSeconds: 3600 });
    const { admin } = controlPlane();
    const { namespace = "" } = found("Deployment", "muster-operator").metadata;
    const token = await admin.createToken(namespace, spec.serviceAccountName, {
      audiences: [serviceAccountToken.audience],
    });
    const review = await admin.create({
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      metadata: { name: "" },
      spec: { token },
    });
    expect(review["status"]).not.toHaveProperty("authenticated", true);

    const [{ mountPath }] = spec.containers[0].volumeMounts;
    expect(operator().environment["MUSTER_TOKEN_FILE"]).toBe(`${mountPath}/${serviceAccountToken.path}`);
  });

  const operator = () => new Workload(objects, "Deployment", "muster-operator");
  const platformPod = () => new Workload(objects, "StatefulSet", "platform");

  it("configures the operator with valid settings only", () => {
    const environment = operator().environment;
    const known = Object.keys(operatorSettings).map(variableOf);
    expect(Object.keys(environment).filter((variable) => !known.includes(variable))).toEqual([]);
    expect(readSettings(operatorSettings, operator().args.slice(1), environment)).toMatchObject({
      platformUrl: new URL(`http://platform.muster-platform.svc:8080`),
      leaseNamespace: undefined,
      leaseName: "muster-operator",
      listen: {
        port: found("Deployment", "muster-operator")["spec"].template.spec.containers[0].ports[0].containerPort,
      },
    });
  });

  it("configures the platform with valid settings only", async () => {
    const { environment } = platformPod();
    const known = Object.keys(platform.settings).map(variableOf);
    expect(Object.keys(environment).filter((variable) => !known.includes(variable))).toEqual([]);
    // Reading the settings reads these files, which Kubernetes creates.
    const tokenFile = join(controlPlane().folder, "platform-token");
    const { namespace, serviceAccount } = platformPod();
    const [{ tokens }] = platformPod().mounts.filter(({ path }) => path === "/etc/cluster") as [Mount];
    const [{ audience, path }] = tokens as [Mount["tokens"][number]];
    expect(path).toBe("token");
    const token = await controlPlane().admin.createToken(namespace, serviceAccount, { audiences: [audience] });
    await writeFile(tokenFile, token);
    const args = platformPod()
      .args.slice(1)
      .map((arg) => arg.replace("/etc/cluster/ca.crt", controlPlane().caFile).replace("/etc/cluster/token", tokenFile));
    expect(readSettings(platform.settings, args, environment)).toMatchObject({
      data: "/data/platform.db",
      initFile: "/etc/muster/init/init.yaml",
      baseUrl: new URL("http://platform.muster-platform.svc:8080"),
      trustedIssuer: [{ issuer: decodeJwt(token).iss, ca: controlPlane().ca }],
    });
  });

  it("gives the platform the identity that the operator assumes", () => {
    const [{ files }] = platformPod().mounts.filter(({ path }) => path === "/etc/muster/init") as [Mount];
    const { rootGroup, identities } = parseInitFile(files["init.yaml"] ?? "", (issuer) => {
      expect(issuer).toBe("token:/etc/cluster/token");
      return "https://kubernetes.example.com";
    });
    const { environment, namespace, serviceAccount } = operator();
    expect(rootGroup.uid).toBe(environment["MUSTER_ROOT_GROUP"]);
    expect(identities).toMatchObject([
      {
        uid: environment["MUSTER_IDENTITY"],
        description: withRecordedOwner("", environment["MUSTER_OWNER_ID"]),
        claimMatch: { sub: { value: `system:serviceaccount:${namespace}:${serviceAccount}` } },
      },
    ]);
  });

  it("serves the platform at the address that the operator uses", () => {
    const { metadata, spec } = found("Service", "platform");
    const address = new URL(operator().environment["MUSTER_PLATFORM_URL"] ?? "");
    expect(address.hostname).toBe(`${metadata.name}.${metadata.namespace}.svc`);
    expect(address.port).toBe(String(spec.ports[0].port));
    expect(platformPod().environment["MUSTER_BASE_URL"]).toBe(address.origin);
  });
});
