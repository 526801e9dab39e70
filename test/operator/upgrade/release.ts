import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { applyAdmissionPolicy } from "#test/deploy/admission-policy.ts";
import { kustomize } from "#test/deploy/kustomize.ts";
import { loadOperatorRbac } from "#test/deploy/operator-rbac.ts";
import { bundle, type Program, thisTree } from "#test/support/bench/bundle.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { customResourceDefinitions, isEstablished } from "#test/support/harness/custom-resource-definitions.ts";
import type { OperatorRbac } from "#test/support/harness/prepare-cluster.ts";

const run = promisify(execFile);
const deployment = "deploy/kustomize/base/deployment.yaml";

const policyKinds = [
  "ValidatingAdmissionPolicyBinding",
  "MutatingAdmissionPolicyBinding",
  "ValidatingAdmissionPolicy",
  "MutatingAdmissionPolicy",
];

/** What the charts of one commit install. */
export interface Release {
  readonly name: string;
  readonly program: Program;
  readonly definitions: readonly KubeObject[];
  readonly rbac: OperatorRbac;
  readonly policies: readonly KubeObject[];
  /** The folder of the policy that adds the finalizer. */
  readonly finalizerPolicy: string;
}

/**
 * Builds the operator of a commit, or of the tree in a folder, and loads what is installed with it.
 * @param folder gets the sources of a commit and the bundle
 */
export async function loadRelease(name: string, source: string, folder: string): Promise<Release> {
  const tree = existsSync(source) ? resolve(source) : await checkOut(source, join(folder, `${name}-sources`));
  const built = join(folder, name);
  await mkdir(built);
  const base = join(tree, "deploy/kustomize/base");
  const finalizerPolicy = join(tree, "deploy/kustomize/components/admission-policy");
  const objects = [...(await kustomize(base)), ...(await kustomize(finalizerPolicy))];
  return {
    name,
    program: await bundle(built, deployment, tree),
    definitions: await customResourceDefinitions(pathToFileURL(`${tree}/crds/`)),
    rbac: await loadOperatorRbac(base),
    policies: objects.filter(({ kind }) => policyKinds.includes(kind)),
    finalizerPolicy,
  };
}

/** The sources of a commit, with the packages of this tree. */
async function checkOut(commit: string, folder: string): Promise<string> {
  await mkdir(folder);
  const archive = `${folder}.tar`;
  await run("git", ["archive", "--output", archive, commit], { cwd: thisTree });
  await run("tar", ["-xf", archive, "-C", folder]);
  await symlink(join(thisTree, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Applies the CRDs of a release. Fields that its schema does not have are pruned from then on. */
export async function applyDefinitionsOf({ definitions }: Release, kube: KubeClient): Promise<void> {
  for (const definition of definitions) await kube.apply(definition);
  for (const definition of definitions) await kube.waitFor(definition, isEstablished);
}

/** Applies the permissions and the policies of a release, and removes the policies that only `previous` has. */
export async function applyChartOf(
  release: Release,
  previous: Release,
  kube: KubeClient,
  account: { readonly namespace: string; readonly name: string },
): Promise<void> {
  for (const object of release.rbac(account, [])) await kube.apply(object);
  for (const object of release.policies) await kube.apply(object);
  await applyAdmissionPolicy(kube, { folder: release.finalizerPolicy });
  const kept = new Set(release.policies.map(nameOf));
  for (const object of previous.policies) if (!kept.has(nameOf(object))) await kube.delete(object);
}

const nameOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.name}`;
