import { apiGroup, apiVersion, finalizer } from "#src/api/custom-resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import type { ClusterObject } from "./memory-cluster.ts";

export interface ReadyObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly spec: object;
  /** The uid of its resource. */
  readonly uid: string;
  readonly tenant: string;
  /** Makes the uid and the version of the object. */
  readonly number: number;
  /** What the status has in addition, such as the uids of references. */
  readonly status?: object;
}

const everythingDeclared = "Objects of this cluster declare everything that lies directly in the group.";
const time = "2026-01-01T00:00:00Z";

/** An object as the operator leaves it once its resource exists: there is nothing to write. */
export function readyObject({ kind, name, namespace, number, spec, status, tenant, uid }: ReadyObject): ClusterObject {
  const noun = kinds.find((one) => one.name === kind)?.noun ?? kind;
  const condition = (type: string, message: string) => ({
    type,
    status: "True",
    reason: "Available",
    message,
    lastTransitionTime: time,
    observedGeneration: 1,
  });
  return {
    apiVersion: `${apiGroup}/${apiVersion.split("/").at(-1)}`,
    kind,
    metadata: {
      name,
      namespace,
      uid: `object-${number}`,
      resourceVersion: String(number),
      generation: 1,
      creationTimestamp: time,
      finalizers: [finalizer],
    },
    spec,
    status: {
      observedGeneration: 1,
      uid,
      parentUid: parentOf(uid),
      management: "Created",
      tenant,
      lastSyncTime: time,
      decidedBy: "ready",
      conditions: [
        condition("Ready", `The ${noun} exists on the platform and matches the spec.`),
        condition("ReferencesResolved", "All references in the spec are resolved."),
        ...(kind === "Group" ? [condition("AccessDeclared", everythingDeclared)] : []),
      ],
      ...status,
    },
  };
}
