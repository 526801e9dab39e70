import { beforeAll, describe, expect, it } from "vitest";
import { operatorSettings } from "#src/commands/operatorSettings.ts";
import platform from "#src/commands/platform.ts";
import { readSettings, variableOf } from "#src/commands/settings.ts";
import { describeWithControlPlane } from "#test/control-plane/describe-with-control-plane.ts";
import type { KubeObject } from "#test/control-plane/kube-client.ts";
import { kustomize } from "./kustomize.ts";

const uid = "0123456789abcdef0123456789abcdef01234567";
/** What `muster bootstrap` writes once the platform runs. */
const identity = { MUSTER_IDENTITY: `${uid}/0123456789abcdef`, MUSTER_ROOT_GROUP: uid };

describeWithControlPlane("deploy/kustomize/overlays/try-out", (controlPlane) => {
  let objects: readonly KubeObject[] = [];
  const found = (kind: string, name: string): KubeObject => {
    const object = objects.find((one) => one.kind === kind && one.metadata.name.startsWith(name));
    if (!object) throw new Error(`there is no ${kind} ${name}`);
    return object;
  };

  beforeAll(async () => {
    objects = await kustomize("overlays/try-out");
  });

  it("is accepted by the API server, and applied again changes nothing", async () => {
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
    it("pass the namespace's restricted pod security", async () => {
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
      const careless = { ...pod, spec: { ...pod.spec, containers: [{ ...container, securityContext: {} }] } };
      await expect(admin.create(careless, { dryRun: true })).rejects.toThrow('violates PodSecurity "restricted');
    });
  });

  it("gives the operator a token for the platform, beside the one for the API server", async () => {
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
    expect(environmentOf("Deployment", "muster-operator")["MUSTER_TOKEN_FILE"]).toBe(
      `${mountPath}/${serviceAccountToken.path}`,
    );
  });

  /** What the kubelet would put into the environment of the workload's container. */
  function environmentOf(kind: string, name: string): Record<string, string> {
    const [container] = found(kind, name)["spec"].template.spec.containers;
    const maps: Record<string, string>[] = (container.envFrom ?? []).map(
      ({ configMapRef }: { configMapRef: { name: string } }) =>
        configMapRef.name === "muster-identity" ? identity : found("ConfigMap", configMapRef.name)["data"],
    );
    const own = (container.env ?? []).map((variable: { name: string; value: string }) => [
      variable.name,
      variable.value,
    ]);
    return Object.assign({}, ...maps, Object.fromEntries(own)) as Record<string, string>;
  }

  /** Its arguments behind the command, with $(VARIABLES) filled in as the kubelet does. */
  function argumentsOf(kind: string, name: string): string[] {
    const [container] = found(kind, name)["spec"].template.spec.containers;
    const environment = environmentOf(kind, name);
    const [, ...args]: string[] = container.args;
    return args.map((arg) => arg.replace(/\$\((\w+)\)/g, (_, variable: string) => environment[variable] ?? ""));
  }

  it("configures the operator with settings that it knows and accepts", () => {
    const environment = environmentOf("Deployment", "muster-operator");
    const known = Object.keys(operatorSettings).map(variableOf);
    expect(Object.keys(environment).filter((variable) => !known.includes(variable))).toEqual([]);
    expect(readSettings(operatorSettings, argumentsOf("Deployment", "muster-operator"), environment)).toMatchObject({
      platformUrl: new URL(`http://platform.muster-platform.svc:8080`),
      watchNamespace: ["shop"],
      leaseNamespace: "muster-system",
      leaseName: "muster",
      listen: {
        port: found("Deployment", "muster-operator")["spec"].template.spec.containers[0].ports[0].containerPort,
      },
    });
  });

  it("configures the platform with settings that it knows and accepts", () => {
    const environment = environmentOf("StatefulSet", "platform");
    const known = [...Object.keys(platform.settings).map(variableOf), "CLUSTER_ISSUER"];
    expect(Object.keys(environment).filter((variable) => !known.includes(variable))).toEqual([]);
    // The one file that is read while the settings are: here it is the certificate authority of this control plane.
    const args = argumentsOf("StatefulSet", "platform").map((arg) =>
      arg.replace("/etc/cluster/ca.crt", controlPlane().caFile),
    );
    expect(readSettings(platform.settings, args, environment)).toMatchObject({
      data: "/data/platform.db",
      baseUrl: new URL("http://platform.muster-platform.svc:8080"),
      trustedIssuer: [{ issuer: "https://kubernetes.default.svc.cluster.local", ca: controlPlane().ca }],
    });
  });

  it("serves the platform where the operator looks for it", () => {
    const { metadata, spec } = found("Service", "platform");
    const address = new URL(environmentOf("Deployment", "muster-operator")["MUSTER_PLATFORM_URL"] ?? "");
    expect(address.hostname).toBe(`${metadata.name}.${metadata.namespace}.svc`);
    expect(address.port).toBe(String(spec.ports[0].port));
    expect(environmentOf("StatefulSet", "platform")["MUSTER_BASE_URL"]).toBe(address.origin);
  });
});
