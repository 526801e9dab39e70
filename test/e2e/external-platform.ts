import { parseAllDocuments } from "yaml";
import { restrictedContainer, restrictedPod } from "#test/node/restricted.ts";
import { imageOf, type Target } from "#test/node/try-out.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { kubectl } from "./kubectl.ts";

const labels = { app: "external-platform" };

/** What `muster bootstrap` printed. */
export interface Bootstrapped {
  readonly manifests: string;
  /** The operator's settings, as variables. */
  readonly settings: Readonly<Record<string, string>>;
  readonly tenant: KubeObject;
}

/** A platform that Muster's charts know only by its address: a pod that nothing of theirs made, with its data in memory. */
export class ExternalPlatform {
  readonly url: string;
  readonly #target: Target;
  readonly #namespace: string;
  readonly #trustedIssuer: string;

  private constructor(target: Target, namespace: string, trustedIssuer: string) {
    this.#target = target;
    this.#namespace = namespace;
    this.#trustedIssuer = trustedIssuer;
    this.url = `http://platform.${namespace}.svc:8080`;
  }

  /**
   * Starts it in a namespace that exists, and returns when it is ready.
   * @param trustedIssuer its setting for the issuer of the cluster, whose certificate authority is in /etc/cluster/ca.crt
   */
  static async start(
    target: Target,
    namespace: string,
    trustedIssuer = "token:/etc/cluster/token,ca=/etc/cluster/ca.crt,jwks=https://kubernetes.default.svc/openid/v1/jwks",
  ): Promise<ExternalPlatform> {
    const platform = new ExternalPlatform(target, namespace, trustedIssuer);
    const objects = platform.#objects();
    for (const object of objects) await target.admin.apply(object);
    await target.admin.waitFor(deploymentIn(namespace), (object) => object?.["status"]?.availableReplicas === 1, {
      timeoutMs: 60_000,
    });
    return platform;
  }

  /** Runs `muster bootstrap` in the platform's pod, where the admin token is. */
  async bootstrap(...args: readonly string[]): Promise<Bootstrapped> {
    const configuration = await kubectl(this.#target, ["get", "--raw", "/.well-known/openid-configuration"]);
    const inPod = ["exec", "--namespace", this.#namespace, "deployment/platform", "--", "muster", "bootstrap"];
    const flags = {
      "platform-url": "http://127.0.0.1:8080",
      "admin-token-file": "/data/admin-token",
      issuer: JSON.parse(configuration).issuer,
    };
    const given = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const manifests = await kubectl(this.#target, [...inPod, ...given, ...args]);
    const objects = parseAllDocuments(manifests).map((document) => document.toJS() as KubeObject);
    const find = (kind: string) => {
      const found = objects.find((object) => object.kind === kind);
      if (found === undefined) throw new Error(`muster bootstrap printed no ${kind}: ${manifests}`);
      return found;
    };
    return { manifests, settings: find("ConfigMap")["data"], tenant: find("Tenant") };
  }

  #objects(): readonly KubeObject[] {
    const metadata = { name: "platform", namespace: this.#namespace };
    return [
      { apiVersion: "v1", kind: "Service", metadata, spec: { selector: labels, ports: [{ port: 8080 }] } },
      {
        ...deploymentIn(this.#namespace),
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: this.#podSpec() },
        },
      },
    ];
  }

  #podSpec() {
    const settings = {
      MUSTER_DATA: "/data/platform.db",
      MUSTER_ADMIN_TOKEN_FILE: "/data/admin-token",
      MUSTER_LISTEN: "0.0.0.0:8080",
      MUSTER_BASE_URL: this.url,
      MUSTER_TRUSTED_ISSUER: this.#trustedIssuer,
    };
    const issuer = { serviceAccountToken: { path: "token", audience: "issuer-only" } };
    return {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      securityContext: { ...restrictedPod.securityContext, fsGroup: 65532 },
      containers: [
        {
          name: "platform",
          image: imageOf(this.#target),
          args: ["platform"],
          env: Object.entries(settings).map(([name, value]) => ({ name, value })),
          readinessProbe: { httpGet: { path: "/readyz", port: 8080 }, periodSeconds: 1 },
          ...restrictedContainer,
          volumeMounts: [
            { name: "data", mountPath: "/data" },
            { name: "cluster", mountPath: "/etc/cluster" },
          ],
        },
      ],
      volumes: [
        { name: "data", emptyDir: { medium: "Memory" } },
        { name: "cluster", projected: { sources: [{ configMap: { name: "kube-root-ca.crt" } }, issuer] } },
      ],
    };
  }
}

const deploymentIn = (namespace: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "platform", namespace },
});
