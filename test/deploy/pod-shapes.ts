import { authoritiesVolume, sourceVolume, tokenVolume } from "#src/injection/names.ts";

/** A pod that names an Identity: its spec without the fields that all have, and what differs in its metadata. */
export interface PodShape {
  readonly title: string;
  /** The label; by default `checkout`, which is for the service account `checkout`. */
  readonly identity?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** By default one container, and the service account `checkout`. */
  readonly spec?: object;
  readonly generateName?: true;
}

export interface RefusedShape extends PodShape {
  /** What the message must say of the cause and of the fix, after the name of the Identity. */
  readonly because: string;
}

const none = { "iam.muster.dev/agent": "none" };
const container = (name: string, more: object = {}) => ({ name, image: "example/app:1", ...more });
/** What Pod Security "restricted" requires of a pod and its containers. */
const restricted = {
  securityContext: {
    runAsNonRoot: true,
    runAsUser: 10_001,
    fsGroup: 10_001,
    seccompProfile: { type: "RuntimeDefault" },
  },
};
const restrictedContainer = { securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } };
const longName = `${"long".repeat(15)}-63`;
export const longIdentity = longName;

/** Pods that are injected. */
export const injected: readonly PodShape[] = [
  { title: "one container" },
  { title: "two containers", spec: { containers: [container("app"), container("log")] } },
  { title: "a name that Kubernetes generates", generateName: true },
  { title: "the annotation that leaves the agent out", annotations: none },
  { title: "no agent, two containers", annotations: none, spec: { containers: [container("a"), container("b")] } },
  { title: "an init container", spec: { initContainers: [container("migrate")] } },
  { title: "no agent, an init container", annotations: none, spec: { initContainers: [container("migrate")] } },
  {
    title: "a sidecar of its own",
    spec: { initContainers: [container("first"), container("proxy", { restartPolicy: "Always" })] },
  },
  {
    title: "an init container that mounts the token",
    spec: {
      volumes: [{ name: tokenVolume, emptyDir: { medium: "Memory" } }],
      initContainers: [
        container("migrate", { volumeMounts: [{ name: tokenVolume, mountPath: "/token", readOnly: true }] }),
      ],
    },
  },
  {
    title: "volumes and mounts",
    spec: {
      volumes: [
        { name: "cache", emptyDir: {} },
        { name: "config", configMap: { name: "config" } },
      ],
      containers: [
        container("app", {
          volumeMounts: [
            { name: "cache", mountPath: "/cache" },
            { name: "config", mountPath: "/var/run/muster", readOnly: true },
            { name: "cache", mountPath: "/var/run/muster/token-cache" },
          ],
        }),
      ],
    },
  },
  {
    title: "variables, some of them twice",
    spec: {
      containers: [
        container("app", {
          env: [
            { name: "MODE", value: "a" },
            { name: "MODE", value: "b" },
            { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
          ],
          envFrom: [{ configMapRef: { name: "config" } }],
        }),
      ],
    },
  },
  {
    title: "a variable that has our value already, and one that refers to it",
    spec: {
      containers: [
        container("app", {
          env: [
            { name: "MUSTER_TOKEN_FILE", value: "/var/run/muster/token/token" },
            { name: "TOKEN", value: "$(MUSTER_TOKEN_FILE)" },
          ],
        }),
      ],
    },
  },
  {
    title: "a variable that only the other mode sets",
    spec: { containers: [container("app", { env: [{ name: "MUSTER_AUTH_URL", value: "https://other.example" }] })] },
  },
  {
    title: "ports on one number, TCP and UDP",
    spec: {
      containers: [container("app", { ports: [{ containerPort: 53 }, { containerPort: 53, protocol: "UDP" }] })],
    },
  },
  {
    title: "the network of the host",
    spec: { hostNetwork: true, hostPID: true, dnsPolicy: "ClusterFirstWithHostNet" },
  },
  { title: "a shared process namespace", spec: { shareProcessNamespace: true } },
  { title: "no mounted token for the API server", spec: { automountServiceAccountToken: false } },
  { title: "the pod of a Job", spec: { restartPolicy: "Never", activeDeadlineSeconds: 60 } },
  {
    title: "the security context that is required by Pod Security restricted",
    spec: { ...restricted, containers: [container("app", restrictedContainer)] },
  },
  { title: "the user root", spec: { securityContext: { runAsUser: 0 } } },
  {
    title: "the user root of one container",
    spec: { containers: [container("app", { securityContext: { runAsUser: 0 } })] },
  },
  {
    title: "a critical pod of a DaemonSet",
    spec: { priorityClassName: "system-node-critical", tolerations: [{ operator: "Exists" }] },
  },
  {
    title: "guaranteed resources",
    spec: { containers: [container("app", { resources: { limits: { cpu: "1", memory: "64Mi" } } })] },
  },
  {
    title: "no service account, for an Identity of the default one",
    identity: "default",
    spec: { serviceAccountName: "" },
  },
  { title: "the former name of the field", spec: { serviceAccountName: "", serviceAccount: "checkout" } },
  { title: "an Identity with a name of 63 characters", identity: longName },
  { title: "an Identity with exact claims", identity: "claims" },
  { title: "an Identity with a pattern of subjects", identity: "pattern" },
  { title: "an Identity with static keys", identity: "keys" },
  { title: "Linux", spec: { os: { name: "linux" } } },
  { title: "Windows without the agent", annotations: none, spec: { os: { name: "windows" } } },
  { title: "scheduling gates and an affinity", spec: { schedulingGates: [{ name: "example.com/gate" }] } },
];

/** Pods that are refused. */
export const refused: readonly RefusedShape[] = [
  { title: "an Identity that does not exist", identity: "missing", because: "does not exist. Create it" },
  { title: "an Identity in another namespace", identity: "elsewhere", because: "does not exist. Create it" },
  {
    title: "an Identity that the operator has not seen",
    identity: "new",
    because: "is not on the platform yet (the operator has not reported on it yet). Wait until it is Ready",
  },
  {
    title: "an Identity that waits for its Group",
    identity: "waiting",
    because: "is not on the platform yet (ReferenceNotFound: spec.groupRef: the Group shop does not exist). Wait",
  },
  { title: "an Identity that is being deleted", identity: "deleted", because: "is being deleted. Create it again" },
  {
    title: "an Identity of AWS principals",
    identity: "aws",
    because: "is assumed by AWS principals (spec.awsIdentity)",
  },
  { title: "a pattern of audiences", identity: "audiences", because: "Set spec.claimMatch.audience of the Identity" },
  {
    title: "no service account",
    spec: { serviceAccountName: "" },
    because:
      "is for the service account checkout (spec.serviceAccountRef), and the pod runs as default. Set spec.serviceAccountName",
  },
  {
    title: "another service account",
    spec: { serviceAccountName: "other" },
    because: "is for the service account checkout (spec.serviceAccountRef), and the pod runs as other",
  },
  {
    title: "exact claims of another service account",
    identity: "claims",
    spec: { serviceAccountName: "other" },
    because:
      "is for the subject system:serviceaccount:shop:checkout, and the pod is system:serviceaccount:shop:other. Set spec.serviceAccountName",
  },
  {
    title: "static keys of another subject",
    identity: "other-keys",
    because: "is for the subject ci, and the pod is system:serviceaccount:shop:checkout",
  },
  {
    title: "an unknown value of the annotation",
    annotations: { "iam.muster.dev/agent": "None" },
    because: "metadata.annotations[iam.muster.dev/agent] of the pod is None. Set it to none",
  },
  {
    title: "the agent on Windows",
    spec: { os: { name: "windows" } },
    because: "the pod runs on Windows (spec.os.name), and the agent on Linux only. Set metadata.annotations",
  },
  {
    title: "a volume with the name of ours",
    spec: { volumes: [{ name: sourceVolume, emptyDir: {} }] },
    because:
      "the name of the volume muster-source in spec.volumes of the pod is reserved for the injected token. Rename",
  },
  {
    title: "a volume with the name of the agent's",
    spec: { volumes: [{ name: tokenVolume, secret: { secretName: "token" } }] },
    because:
      "the name of the volume muster-token in spec.volumes of the pod is reserved for the injected token. Rename",
  },
  {
    title: "a container with the name of the agent",
    spec: { containers: [container("muster-agent")] },
    because: "the container name muster-agent is reserved for the agent. Rename",
  },
  {
    title: "an init container with the name of the agent",
    spec: { initContainers: [container("muster-agent", { restartPolicy: "Always", args: ["other"] })] },
    because: "the container name muster-agent is reserved for the agent. Rename",
  },
  {
    title: "variables with other values",
    spec: {
      containers: [
        container("app", { env: [{ name: "MUSTER_IDENTITY", value: "other" }] }),
        container("log", {
          env: [{ name: "MUSTER_TOKEN_FILE", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
        }),
      ],
    },
    because: "sets to other values in spec.containers[].env: MUSTER_IDENTITY of app, MUSTER_TOKEN_FILE of log. Remove",
  },
  {
    title: "another volume where the token is mounted",
    spec: {
      volumes: [{ name: "mine", emptyDir: {} }],
      containers: [container("app", { volumeMounts: [{ name: "mine", mountPath: "/var/run/muster/token" }] })],
    },
    because:
      "another volume is mounted at or below the injected one: /var/run/muster/token of app in spec.containers[].volumeMounts of the pod. Mount",
  },
  ...["/var/run/muster/token/", "/var/run/muster/token/token", "var/run//muster/./token/"].map((mountPath) => ({
    title: `another volume at ${mountPath}`,
    spec: {
      volumes: [{ name: "mine", emptyDir: {} }],
      containers: [container("app", { volumeMounts: [{ name: "mine", mountPath }] })],
    },
    because: `another volume is mounted at or below the injected one: ${mountPath} of app in spec`,
  })),
];

/** Pods that are refused only where an administrator has set certificate authorities. */
export const refusedWithAuthorities: readonly RefusedShape[] = [
  {
    title: "a volume with the name of the authorities'",
    spec: { volumes: [{ name: authoritiesVolume, emptyDir: {} }] },
    because:
      "the name of the volume muster-ca in spec.volumes of the pod is reserved for injected certificate authorities. Rename",
  },
  {
    title: "authorities of its own",
    annotations: none,
    spec: { containers: [container("app", { env: [{ name: "MUSTER_PLATFORM_CA", value: "/etc/own" }] })] },
    because: "sets to other values in spec.containers[].env: MUSTER_PLATFORM_CA of app. Remove",
  },
  {
    title: "another volume where the authorities are mounted",
    spec: {
      volumes: [{ name: "mine", emptyDir: {} }],
      containers: [
        container("app"),
        container("log", { volumeMounts: [{ name: "mine", mountPath: "/var/run/muster/ca" }] }),
      ],
    },
    because:
      "another volume is mounted at or below the injected one: /var/run/muster/ca of log in spec.containers[].volumeMounts of the pod. Mount",
  },
];

/** The pod of a shape, as a person writes it. */
export function podOf(shape: PodShape, name: string, namespace: string): object {
  const spec: Record<string, unknown> = {
    serviceAccountName: "checkout",
    containers: [container("app")],
    ...shape.spec,
  };
  if (spec["serviceAccountName"] === "") delete spec["serviceAccountName"];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...(shape.generateName ? { generateName: `${name}-` } : { name }),
      namespace,
      labels: { app: "checkout", "iam.muster.dev/identity": shape.identity ?? "checkout" },
      ...(shape.annotations === undefined ? {} : { annotations: shape.annotations }),
    },
    spec,
  };
}
