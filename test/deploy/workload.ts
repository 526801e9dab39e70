import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

interface Container {
  readonly args: readonly string[];
  readonly env?: readonly EnvironmentVariable[];
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

type EnvironmentVariable =
  | { readonly name: string; readonly value: string }
  | {
      readonly name: string;
      readonly valueFrom: {
        readonly fieldRef?: { readonly fieldPath: string };
        readonly secretKeyRef?: { readonly name: string; readonly key: string };
      };
    };

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface ProjectedToken {
  readonly path: string;
  readonly audience: string;
  readonly expirationSeconds: number;
}

interface Volume {
  readonly name: string;
  readonly projected?: { readonly sources: readonly { readonly serviceAccountToken?: ProjectedToken }[] };
  readonly configMap?: { readonly name: string };
  readonly secret?: {
    readonly secretName: string;
    readonly defaultMode?: number;
    readonly items?: readonly { readonly key: string; readonly path: string }[];
  };
}

/** A folder of the container, with the files that Kubernetes puts into it. */
export interface Mount {
  readonly path: string;
  readonly tokens: readonly ProjectedToken[];
  /** The contents of the files from a ConfigMap or a Secret, by their names. */
  readonly files: Readonly<Record<string, string>>;
  /** The mode of these files. */
  readonly mode: number;
}

/**
 * A Deployment, StatefulSet, Job or Pod with the arguments, environment and files of its only container, as the kubelet
 * resolves them.
 */
export class Workload {
  readonly object: KubeObject;
  readonly #objects: readonly KubeObject[];

  /** @throws if the workload is not among the objects. */
  constructor(objects: readonly KubeObject[], kind: string, name: string) {
    this.#objects = objects;
    this.object = this.#find(kind, name);
  }

  get namespace(): string {
    return this.object.metadata.namespace ?? "";
  }

  /** The spec of its pods. */
  // oxlint-disable-next-line typescript/no-explicit-any
  get pod(): any {
    return this.object.kind === "Pod" ? this.object["spec"] : this.object["spec"].template.spec;
  }

  get serviceAccount(): string {
    return this.pod.serviceAccountName;
  }

  /** Whether its pods get credentials for the API server. */
  get hasApiToken(): boolean {
    const account = this.#find("ServiceAccount", this.serviceAccount);
    return this.pod.automountServiceAccountToken ?? account["automountServiceAccountToken"] ?? true;
  }

  get container(): Container {
    return this.pod.containers[0];
  }

  /**
   * The variables of the container: those of its ConfigMaps, overridden by its own. Of the fields of a pod, only
   * `spec.serviceAccountName` is known.
   *
   * @throws if a ConfigMap or Secret is missing or a field is not known: the pod would not start.
   */
  get environment(): Readonly<Record<string, string>> {
    const maps = (this.container.envFrom ?? []).map(
      ({ configMapRef }): Record<string, string> => this.#find("ConfigMap", configMapRef.name)["data"],
    );
    const own = Object.fromEntries(
      (this.container.env ?? []).map((variable) => [
        variable.name,
        "value" in variable ? variable.value : this.#valueFrom(variable.valueFrom),
      ]),
    );
    return Object.assign({}, ...maps, own) as Record<string, string>;
  }

  /** The arguments of the container, with each `$(VARIABLE)` expanded. */
  get args(): readonly string[] {
    const { environment } = this;
    return this.container.args.map((arg) => arg.replace(/\$\((\w+)\)/g, (_, name: string) => environment[name] ?? ""));
  }

  /**
   * The folders that are mounted. The ConfigMap that Kubernetes creates in every namespace is empty.
   *
   * @throws if another ConfigMap, or a Secret or its key, is missing: the pod would not start.
   */
  get mounts(): readonly Mount[] {
    const volumes: readonly Volume[] = this.pod.volumes ?? [];
    return (this.container.volumeMounts ?? []).map(({ name, mountPath }) => {
      const volume = volumes.find((one) => one.name === name);
      const map = volume?.configMap?.name;
      return {
        path: mountPath,
        tokens: volume?.projected?.sources.flatMap(({ serviceAccountToken }) => serviceAccountToken ?? []) ?? [],
        files:
          map === undefined || map === "kube-root-ca.crt"
            ? this.#secretFiles(volume)
            : this.#find("ConfigMap", map)["data"],
        mode: volume?.secret?.defaultMode ?? 0o644,
      };
    });
  }

  #secretFiles({ secret }: Partial<Volume> = {}): Readonly<Record<string, string>> {
    if (secret === undefined) return {};
    const data: Readonly<Record<string, string>> = this.#find("Secret", secret.secretName)["stringData"];
    const items = secret.items ?? Object.keys(data).map((key) => ({ key, path: key }));
    return Object.fromEntries(
      items.map(({ key, path }) => {
        const content = data[key];
        if (content === undefined) throw new Error(`Secret ${secret.secretName} has no key ${key}`);
        return [path, content];
      }),
    );
  }

  get probePaths(): readonly string[] {
    return [this.container.startupProbe, this.container.livenessProbe, this.container.readinessProbe].map(
      ({ httpGet }) => httpGet.path,
    );
  }

  #valueFrom({ fieldRef, secretKeyRef }: Extract<EnvironmentVariable, { valueFrom: unknown }>["valueFrom"]): string {
    if (secretKeyRef !== undefined) return this.#find("Secret", secretKeyRef.name)["stringData"][secretKeyRef.key];
    const fieldPath = fieldRef?.fieldPath;
    if (fieldPath === "spec.serviceAccountName") return this.serviceAccount;
    throw new Error(`the field ${fieldPath} of a pod is not known`);
  }

  #find(kind: string, name: string): KubeObject {
    const object = this.#objects.find((one) => one.kind === kind && one.metadata.name === name);
    if (!object) throw new Error(`${kind} ${name} not found`);
    return object;
  }
}
