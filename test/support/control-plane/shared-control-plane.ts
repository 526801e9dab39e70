import { type ControlPlane, startControlPlane, type StartOptions } from "./control-plane.ts";
import { EtcdKeys } from "./etcd-keys.ts";
import { hadParameters, policiesForgotten } from "./forgotten-policies.ts";
import { Snapshot } from "./snapshot.ts";

/** Where etcd has the definitions of custom resources, and the versions of the API that they add. */
const definitions =
  /^\/registry\/(apiextensions\.k8s\.io\/customresourcedefinitions|apiregistration\.k8s\.io\/apiservices)\//;

/** A control plane that one suite of this process after another has to itself. */
interface SharedControlPlane {
  readonly controlPlane: ControlPlane;
  readonly atStart: Snapshot;
  /** Whether the custom resources that it defines, if any, are those of `crds/`. */
  readonly defined: boolean;
}

/** The one of this process, while nobody has it. */
let idle: SharedControlPlane | undefined;
// Vitest ends its workers so. An exit, unlike the signal, removes the folder; the servers end with their parent.
process.once("SIGTERM", () => process.exit());

/**
 * A control plane as if it had just started: one that an earlier suite gave back, with the objects that it had at its start, or a
 * new one.
 * @param options.defined whether it may define the custom resources of `crds/`, and will define no others
 */
export async function borrowControlPlane({
  defined,
  progress,
}: { readonly defined: boolean } & Pick<StartOptions, "progress">): Promise<SharedControlPlane> {
  const free = idle;
  idle = undefined;
  if (free !== undefined) {
    if (!(await hadParameters(free.controlPlane.folder))) {
      await restore(free, defined);
      return { ...free, defined };
    }
    await free.controlPlane.stop();
  }
  const controlPlane = await startControlPlane({ progress });
  if (controlPlane.hasControllers) await hasDefaults(controlPlane);
  return { controlPlane, atStart: await Snapshot.of(new EtcdKeys(controlPlane.folder)), defined };
}

/** Leaves it to another suite of this process. It ends with the process. */
export function giveBack(shared: SharedControlPlane): void {
  idle = shared;
}

async function restore(
  { controlPlane, atStart, defined: wasDefined }: SharedControlPlane,
  defined: boolean,
): Promise<void> {
  const kept = (name: string) => wasDefined && defined && definitions.test(name);
  await policiesForgotten(controlPlane.admin, await atStart.restore(kept));
  // What that needed.
  await atStart.restore(kept);
}

/** Waits until the controllers have given the namespaces of a new cluster what each namespace gets. */
async function hasDefaults({ admin }: ControlPlane): Promise<void> {
  for (const namespace of ["default", "kube-node-lease", "kube-public", "kube-system"]) {
    await admin.waitFor(
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace } },
      Boolean,
    );
    await admin.waitFor(
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "kube-root-ca.crt", namespace } },
      Boolean,
    );
  }
}
