import type { Identity } from "#src/api/identity.ts";
import { identityDefinition } from "#src/api/identity.ts";
import { apiGroup, version } from "#src/api/custom-resource.ts";
import type { CommonValues, IdentityValues, InjectionSettings } from "#src/injection/description.ts";
import { doesNotExist, identityRefusals, refusalOf } from "#src/injection/refusals.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { KubeError } from "#src/kube/errors.ts";
import { type LabelledPod, PodRefused, startOf, type ValuesOf } from "./inject-file.ts";

const identities = {
  group: apiGroup,
  version,
  plural: identityDefinition.plural,
  kind: identityDefinition.kind,
};

/**
 * Reads each Identity from the cluster, once.
 * @param defaultNamespace of manifests that name none.
 */
export function valuesFromCluster(
  kube: Pick<KubeApi, "get">,
  defaultNamespace: string,
  settings: InjectionSettings,
  signal: AbortSignal,
): ValuesOf {
  const read = new Map<string, Promise<Identity | undefined>>();
  const identityOf = (namespace: string, name: string) => {
    const key = `${namespace}/${name}`;
    const pending = read.get(key) ?? find(kube, namespace, name, signal);
    read.set(key, pending);
    return pending;
  };
  return async ({ pod, name, namespace = defaultNamespace }) => {
    const identity = await identityOf(namespace, name);
    if (identity === undefined) throw new PodRefused(startOf({ name, namespace }) + doesNotExist.of({ namespace }));
    const refusal = refusalOf(identityRefusals, { pod, namespace, identity });
    if (refusal !== undefined) throw new PodRefused(startOf({ name, namespace }) + refusal);
    return { ...valuesOf(identity), ...settings };
  };
}

async function find(
  kube: Pick<KubeApi, "get">,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<Identity | undefined> {
  try {
    return await kube.get<Identity>(identities, namespace, name, { signal });
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return undefined;
    throw error;
  }
}

/** The values of an Identity that no refusal concerns. */
function valuesOf({ status }: Identity): IdentityValues {
  const { uid, exchange } = status ?? {};
  if (uid === undefined || exchange?.audience === undefined) throw new Error("the Identity is not on the platform");
  const { url, platformUrl, audience, apiAudience } = exchange;
  return { uid, exchangeUrl: url, platformUrl, audience, apiAudience };
}

/** Uses the same values for every pod. Only one Identity may be named: the uid is that of one. */
export function givenValues(values: CommonValues): ValuesOf {
  let first: LabelledPod | undefined;
  return async (pod) => {
    first ??= pod;
    if (first.name !== pod.name || first.namespace !== pod.namespace)
      throw new PodRefused(
        `--identity gives the uid of one Identity, and the manifests name two: ${startOf(first)} and ${startOf(pod)}. Run the command once for each of them`,
      );
    return values;
  };
}
