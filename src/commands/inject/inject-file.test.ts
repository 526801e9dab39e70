import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { CommonValues } from "#src/injection/description.ts";
import { injectFile, InjectionError } from "./inject-file.ts";
import { givenValues } from "./identity-values.ts";

const values: CommonValues = {
  uid: "uid",
  exchangeUrl: "https://auth.example/sts/exchange",
  platformUrl: "https://platform.example",
  audience: "auth.example",
  apiAudience: "https://platform.example",
  image: "muster:1",
  requests: { cpu: "5m" },
  limits: { memory: "192Mi" },
  env: [],
  caConfigMap: "",
  caKey: "ca.crt",
};
const inject = (text: string, more: Partial<CommonValues> = {}) =>
  injectFile("app.yaml", text, givenValues({ ...values, ...more }));

const deployment = `# The shop
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop} # one line
spec:
  replicas: 2   # not more
  template:
    metadata:
      labels:
        iam.muster.dev/identity: checkout
    spec:
      initContainers:
      # It runs first.
      - name: migrate
        image: shop:1
      containers:
      - name: app
        image: "shop:1"
        env:
        - {name: MODE, value: "1"} # quoted
`;

/** The manifest of a kind, around one pod. */
function manifest(apiVersion: string, kind: string, pod: object): string {
  const metadata = { name: "shop" };
  const template = { template: pod };
  const spec: Record<string, object> = { CronJob: { jobTemplate: { spec: template } }, PodTemplate: {} };
  const around =
    kind === "Pod"
      ? { ...pod, metadata: { ...metadata, ...(pod as { metadata: object }).metadata } }
      : kind === "PodTemplate"
        ? { metadata, ...template }
        : { metadata, spec: spec[kind] ?? template };
  return JSON.stringify({ apiVersion, kind, ...around });
}
const pod = {
  metadata: { labels: { "iam.muster.dev/identity": "checkout" } },
  spec: { containers: [{ name: "app", image: "shop:1" }] },
};

describe("muster inject", () => {
  it("keeps the order, the comments and the style of a manifest", async () => {
    expect(await inject(deployment)).toMatchInlineSnapshot(`
      "# The shop
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: shop} # one line
      spec:
        replicas: 2 # not more
        template:
          metadata:
            labels:
              iam.muster.dev/identity: checkout
          spec:
            initContainers:
            - name: muster-agent
              image: muster:1
              args:
              - agent
              restartPolicy: Always
              env:
              - name: MUSTER_IDENTITY
                value: uid
              - name: MUSTER_AUTH_URL
                value: https://auth.example/sts/exchange
              - name: MUSTER_API_AUDIENCE
                value: https://platform.example
              resources:
                requests:
                  cpu: 5m
                limits:
                  memory: 192Mi
              startupProbe:
                exec:
                  command:
                  - muster
                  - agent
                  - --check
                  - --wait
                  - 10s
                periodSeconds: 1
                timeoutSeconds: 20
                failureThreshold: 30
              securityContext:
                allowPrivilegeEscalation: false
                readOnlyRootFilesystem: true
                runAsNonRoot: true
                capabilities:
                  drop:
                  - ALL
                seccompProfile:
                  type: RuntimeDefault
              volumeMounts:
              - name: muster-source
                mountPath: /var/run/muster/source
                readOnly: true
              - name: muster-token
                mountPath: /var/run/muster/token
            # It runs first.
            - name: migrate
              image: shop:1
            containers:
            - name: app
              image: "shop:1"
              env:
              - {name: MODE, value: "1"} # quoted
              - name: MUSTER_IDENTITY
                value: uid
              - name: MUSTER_PLATFORM_URL
                value: https://platform.example
              - name: MUSTER_TOKEN_FILE
                value: /var/run/muster/token/token
              volumeMounts:
              - name: muster-token
                mountPath: /var/run/muster/token
                readOnly: true
            volumes:
            - name: muster-source
              projected:
                sources:
                - serviceAccountToken:
                    path: token
                    audience: auth.example
                    expirationSeconds: 3600
            - name: muster-token
              emptyDir:
                medium: Memory
                sizeLimit: 1Mi
      "
    `);
  });

  it("changes nothing the second time", async () => {
    const once = await inject(deployment);
    expect(await inject(once)).toBe(once);
    const json = await inject(manifest("v1", "Pod", pod));
    expect(await inject(json)).toBe(json);
  });

  it("updates what an earlier injection has set", async () => {
    const earlier = await inject(deployment, { uid: "earlier", audience: "earlier", image: "muster:0" });
    expect(earlier).toContain("earlier");
    expect(await inject(earlier)).toBe(await inject(deployment));
  });

  it.each([
    ["v1", "Pod"],
    ["v1", "PodTemplate"],
    ["v1", "ReplicationController"],
    ["apps/v1", "Deployment"],
    ["apps/v1", "StatefulSet"],
    ["apps/v1", "DaemonSet"],
    ["apps/v1", "ReplicaSet"],
    ["batch/v1", "Job"],
    ["batch/v1", "CronJob"],
  ])("injects into a %s %s, and into one in a List", async (apiVersion, kind) => {
    const text = manifest(apiVersion, kind, pod);
    const injected: unknown = JSON.parse(await inject(text));
    expect(JSON.stringify(injected)).toContain('"muster-agent"');
    const inList = await inject(JSON.stringify({ apiVersion: "v1", kind: "List", items: [{}, JSON.parse(text)] }));
    expect(JSON.parse(inList)).toMatchObject({ items: [{}, injected] });
  });

  it("injects into items that omit their type", async () => {
    const {
      apiVersion: _,
      kind: _kind,
      ...item
    } = JSON.parse(manifest("apps/v1", "Deployment", pod)) as Record<string, unknown>;
    const list = JSON.stringify({ apiVersion: "apps/v1", kind: "DeploymentList", items: [item] });
    expect(await inject(list)).toContain("muster-agent");
  });

  it.each([
    ["another kind", "apiVersion: v1\nkind: ConfigMap\ndata:\n    a:   'b' # c\n"],
    ["a workload without the label", deployment.replace("iam.muster.dev/identity", "other")],
    ["another group", deployment.replace("apps/v1", "apps.example/v1")],
    ["several documents, an empty one among them", "---\n# nothing\n---\na:   1\n--- # c\nb: 2\n...\n"],
    ["nothing", ""],
  ])("returns %s as it is", async (_, text) => {
    expect(await inject(text)).toBe(text);
  });

  it("changes only the documents that need it", async () => {
    const other = "apiVersion: v1\nkind: ConfigMap\ndata:\n    a:   'b' # c\n";
    const result = await inject(`${other}---\n${deployment}---\n${other}`);
    expect(result.startsWith(`${other}---\n`)).toBe(true);
    expect(result.endsWith(`---\n${other}`)).toBe(true);
    expect(parse(result.split(/^---$/m)[1] ?? "")).toEqual(parse(await inject(deployment)));
  });

  it("does not change what shares an anchor with a container", async () => {
    const shared = `apiVersion: v1
kind: Pod
metadata: {name: shop, labels: {iam.muster.dev/identity: checkout}}
spec:
  initContainers: [{name: migrate, image: a, env: &env [{name: MODE, value: a}]}]
  containers: [{name: app, image: a, env: *env}]
`;
    const injected = parse(await inject(shared)) as { spec: { initContainers: { env: unknown[] }[] } };
    expect(injected.spec.initContainers.map(({ env }) => env.length)).toEqual([3, 1]);
    expect(parse(await inject(JSON.stringify(parse(shared))))).toEqual(injected);
  });

  it("reports every problem of a file, each with its manifest, and prints nothing", async () => {
    const taken = deployment.replace("MODE", "MUSTER_IDENTITY");
    const empty = deployment.replace("identity: checkout", 'identity: ""').replace("name: shop", "name: empty");
    const problems = await inject(
      [taken, empty, "a: [\n", deployment.replace(/containers:[^]*/, "")].join("---\n"),
    ).then(
      () => [],
      (error: InjectionError) => error.message.split("\n"),
    );
    expect(problems[0]).toBe(
      "app.yaml: Deployment shop: Identity checkout cannot be injected: the injection sets variables that the pod sets to other values in spec.containers[].env: MUSTER_IDENTITY of app. Remove them",
    );
    expect(problems[1]).toContain(
      "app.yaml: Deployment empty: metadata.labels[iam.muster.dev/identity] of the pod is empty",
    );
    expect(problems[2]).toContain("app.yaml: not valid YAML:");
    expect(problems.at(-1)).toContain("app.yaml: Deployment shop: the pod is invalid: spec.containers:");
  });

  it.each(["*planted", "|planted", '"\\xplanted"'])("quotes nothing of %j, which can be of a Secret", async (value) => {
    const error: unknown = await inject(`kind: Secret\npassword: ${value}\n`).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InjectionError);
    expect(String(error)).toContain("app.yaml: not valid YAML: ");
    expect(String(error)).not.toContain("plant");
  });

  it("refuses a label on the object around the pod, where it has no effect", async () => {
    const outside = (kind: string) =>
      manifest("apps/v1", kind, { spec: pod.spec }).replace(
        '"name":"shop"',
        '"name":"shop","labels":{"iam.muster.dev/identity":"checkout"}',
      );
    await expect(inject(outside("Deployment"))).rejects.toThrowError(
      "app.yaml: Deployment shop: metadata.labels[iam.muster.dev/identity] has no effect here. Set it in spec.template.metadata.labels",
    );
    await expect(inject(outside("CronJob").replace("apps/v1", "batch/v1"))).rejects.toThrowError(
      "Set it in spec.jobTemplate.spec.template.metadata.labels",
    );
    const both = manifest("apps/v1", "Deployment", pod).replace(
      '"name":"shop"',
      '"name":"shop","labels":{"iam.muster.dev/identity":"checkout"}',
    );
    await expect(inject(both)).resolves.toContain("muster-agent");
  });

  it("refuses one uid for two Identities", async () => {
    const other = deployment.replace("identity: checkout", "identity: other");
    await expect(inject(`${deployment}---\n${other}`)).rejects.toThrowError(
      "the manifests name two: Identity checkout and Identity other. Run the command once for each of them",
    );
  });
});
