import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse, stringify } from "yaml";
import type { Cluster } from "#test/node/cluster.ts";
import type { KubeClient, KubeObject, ObjectRef } from "#test/support/control-plane/kube-client.ts";
import { ServerProcess } from "#test/support/control-plane/server-process.ts";
import { buildGoProgram } from "#test/support/go-program/build.ts";
import type { BuildOptions } from "#test/support/go-program/compile.ts";
import { conditionOf, isReady } from "#test/support/harness/muster-objects.ts";
import { ArtifactServer } from "./artifact-server.ts";

const execute = promisify(execFile);
const module = "github.com/fluxcd/kustomize-controller";
const folder = fileURLToPath(new URL("../node/programs/flux", import.meta.url));

/** The namespace of Flux and of its objects. */
export const fluxNamespace = "flux-system";
const source = {
  apiVersion: "source.toolkit.fluxcd.io/v1",
  kind: "GitRepository",
  metadata: { name: "fleet", namespace: fluxNamespace },
};

/** The manifests of a repository by their path. */
type Manifests = Readonly<Record<string, readonly KubeObject[]>>;

/**
 * Flux's kustomize-controller, as a process beside a cluster. In place of its source-controller, this class writes the status of the
 * GitRepository `fleet`, and serves its artifacts over HTTP.
 */
export class Flux {
  readonly #admin: KubeClient;
  readonly #controller: ServerProcess;
  readonly #artifacts: ArtifactServer;
  #manifests: Manifests = {};

  private constructor(admin: KubeClient, controller: ServerProcess, artifacts: ArtifactServer) {
    this.#admin = admin;
    this.#controller = controller;
    this.#artifacts = artifacts;
  }

  /** Builds the controller if it is not in the cache, and starts it with the definitions of its kinds. The repository is empty. */
  static async start({ admin, kubeconfig, isolation }: Cluster, options: BuildOptions = {}): Promise<Flux> {
    const program = await buildGoProgram(
      {
        name: "kustomize-controller",
        folder,
        package: module,
        title: "Flux's kustomize-controller",
        module,
      },
      options,
    );
    const kinds = [await kustomizationDefinition(), ...["GitRepository", "OCIRepository", "Bucket"].map(anySource)];
    for (const definition of kinds) {
      await admin.apply(definition);
      await admin.waitFor(definition, (object) => conditionOf(object, "Established")?.status === "True");
    }
    await admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: fluxNamespace } });
    await admin.apply({ ...source, spec: { interval: "1m", url: "https://git.example.com/fleet" } });
    const controller = new ServerProcess(
      { command: "env", args: [`KUBECONFIG=${kubeconfig}`, program], endsWithParent: false },
      { "metrics-addr": "0", "health-addr": "0" },
      join(isolation.folder, "kustomize-controller.log"),
    );
    return new Flux(admin, controller, await ArtifactServer.start());
  }

  /** Adds and replaces files of the repository; a file without objects is removed. @returns the revision */
  async commit(changes: Manifests): Promise<string> {
    if (!this.#controller.running)
      throw new Error(`kustomize-controller ended:\n${await this.#controller.lastLogLines()}`);
    this.#manifests = { ...this.#manifests, ...changes };
    const files = Object.entries(this.#manifests).flatMap(([path, objects]) =>
      objects.length === 0 ? [] : [[path, objects.map((object) => stringify(object)).join("---\n")] as const],
    );
    const { digest, url, size } = await this.#artifacts.add(files);
    const revision = `main@sha1:${digest.slice(0, 40)}`;
    const artifact = {
      revision,
      digest: `sha256:${digest}`,
      url,
      size,
      path: `gitrepository/${fluxNamespace}/${source.metadata.name}/${digest}.tar.gz`,
      lastUpdateTime: new Date().toISOString(),
    };
    const { generation } = (await this.#admin.get(source)).metadata;
    await this.#admin.patch(source, { status: { observedGeneration: generation, artifact } }, "status");
    return revision;
  }

  /** Waits until a Kustomization has applied a revision, and its objects are healthy. */
  async applied(kustomization: ObjectRef, revision: string): Promise<KubeObject> {
    return this.#waitFor(
      kustomization,
      (object) => isReady(object) && object?.["status"].lastAppliedRevision === revision,
    );
  }

  /** Waits until a Kustomization has failed to apply a revision, or objects of it are not healthy. @returns its message */
  async failed(kustomization: ObjectRef, revision: string): Promise<string> {
    const object = await this.#waitFor(kustomization, (seen) => {
      const ready = conditionOf(seen, "Ready");
      return (
        ready?.status === "False" &&
        ready.observedGeneration === seen?.metadata.generation &&
        seen?.["status"].lastAttemptedRevision === revision
      );
    });
    return conditionOf(object, "Ready")?.message ?? "";
  }

  async stop(): Promise<void> {
    await this.#controller.kill();
    await this.#artifacts.stop();
  }

  async #waitFor(ref: ObjectRef, wanted: (object: KubeObject | undefined) => boolean): Promise<KubeObject> {
    const found = await this.#admin.waitFor(ref, wanted, { timeoutMs: 60_000 });
    if (found === undefined) throw new Error(`${ref.metadata.name} does not exist`);
    return found;
  }
}

/** The definition that belongs to the program, from its module. */
async function kustomizationDefinition(): Promise<KubeObject> {
  const { stdout } = await execute("go", ["mod", "download", "-json", module], { cwd: folder });
  const { Dir } = JSON.parse(stdout) as { readonly Dir: string };
  const file = join(Dir, "config/crd/bases/kustomize.toolkit.fluxcd.io_kustomizations.yaml");
  return parse(await readFile(file, "utf8")) as KubeObject;
}

/** A definition of a kind of source-controller, with any fields. */
function anySource(kind: string): KubeObject {
  const singular = kind.toLowerCase();
  const plural = singular.endsWith("y") ? `${singular.slice(0, -1)}ies` : `${singular}s`;
  const group = "source.toolkit.fluxcd.io";
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular },
      versions: [{ name: "v1", served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
}
