import { finalizer } from "#src/api/custom-resource.ts";
import { resourceKindOf } from "#src/api/resource-kind.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { KubeError } from "#src/kube/errors.ts";
import type { KubeObject } from "#src/kube/object.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { Observed } from "./observe/observed.ts";
import type { Sources } from "./observe/sources.ts";
import type { KubeStep, PlatformStep, StatusPatch } from "./policy/step.ts";

/**
 * Makes one call to the platform, for a resource of the kind. Its result is in the views of the session afterwards.
 * @param alsoToRead the uids of other resources that can be read together with the one that the step reads.
 * @returns the resource as the platform returned it after a create or an update. @throws {PlatformFailure}
 */
export async function performOnPlatform(
  session: PlatformSession,
  { collection }: Kind,
  step: PlatformStep,
  alsoToRead: () => readonly string[],
): Promise<ExternalResource | void> {
  switch (step.do) {
    case "refreshPermissions":
      return session.refreshPermissions();
    case "list":
      return session.ensureSnapshot(collection, step.parent, step);
    case "read":
      return step.startedAfter === undefined
        ? session.read(collection, step.uid)
        : session.readTogether(collection, step.uid, step.startedAfter, step.kind === undefined ? alsoToRead() : []);
    case "listNamed":
      return session.listNamed(collection, step.parent, step.name, step.startedAfter);
    case "readIdentity":
      return session.readIdentity(step.identity);
    case "readRole":
      return session.readRole(step.role);
    case "readGrants":
      return session.readGrants(step.of);
    case "create":
      return session.create(collection, step.parent, step.body, step.naturalKey);
    case "update":
      return session.update(collection, step.uid, step.body, step.mask);
    case "delete":
    case "removeUndeclared":
      return session.delete(collection, step.uid);
  }
}

/**
 * Makes one call to Kubernetes, other than to write an event. Its result is in the store afterwards. A write applies only to the uid and the
 * resourceVersion that the decision was made from.
 * @returns whether the call did what the step says: a Secret at another version is not written. @throws {KubeError}
 */
export async function performOnKubernetes(
  { stores, crds, secrets, codes }: Sources,
  kube: Pick<KubeApi, "patch">,
  kind: Kind,
  { resource: { metadata } }: Observed,
  step: Exclude<KubeStep, { do: "report" }>,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace, name, finalizers = [] } = metadata;
  const write = async (body: object, options: { readonly subresource?: "status" } = {}) => {
    const resource = resourceKindOf(kind.definition);
    const written = await kube.patch<Written>(resource, namespace, name, body, { signal, ...options });
    stores.get(kind.name).observeOwnWrite(written);
    return written;
  };
  const others = finalizers.filter((one) => one !== finalizer);
  const preconditions = { uid: metadata.uid, resourceVersion: metadata.resourceVersion };
  switch (step.do) {
    case "readCrd":
      await crds.read(kind);
      return true;
    case "readSecret":
      await secrets.read(step.at, signal);
      return true;
    case "checkSecret":
      await codes.check(step.at, step.version, signal);
      return true;
    case "writeSecret":
      return codes.write(step.at, step.version, step.uid, signal);
    case "writeStatus": {
      const body = { metadata: preconditions, status: step.patch };
      requireKept(kind, step.patch, await write(body, { subresource: "status" }));
      return true;
    }
    case "addFinalizer":
      await write({ metadata: { ...preconditions, finalizers: [...others, finalizer] } });
      return true;
    case "removeFinalizer":
      await write({ metadata: { ...preconditions, finalizers: others } });
      return true;
  }
}

/**
 * The API server drops the fields that its CustomResourceDefinition does not have. What it dropped would be written again at
 * once: it counts as refused.
 * @throws {KubeError}
 */
function requireKept({ definition: { plural } }: Kind, patch: StatusPatch, { status = {} }: Written): void {
  const dropped = Object.entries(patch).flatMap(([field, value]) => (value === null || field in status ? [] : [field]));
  if (dropped.length === 0) return;
  const message = `the CustomResourceDefinition of ${plural} does not have status.${dropped.join(", status.")}: upgrade the CRDs`;
  throw new KubeError({ call: `patch ${plural}/status`, code: 422, reason: "Invalid" }, message);
}

type Written = KubeObject & { readonly status?: object };
