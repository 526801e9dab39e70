import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { buildControlPlane } from "./build.ts";
import { ControlPlaneUnavailable } from "./unavailable.ts";

/** A program, with the arguments before its flags. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** The program exits when its standard input ends, and therefore when its parent ends. */
  readonly endsWithParent: boolean;
}

/** The servers of a control plane. The assets that envtest downloads do not have kube-controller-manager. */
export interface Programs {
  readonly etcd: Program;
  readonly apiServer: Program;
  /** The controllers that the API needs to be complete. Their flags are `kubeconfig` and `root-ca-file`. */
  readonly controllers: Program | undefined;
}

export interface FindOptions {
  /** Called with one line, without a line end, while something takes long. */
  readonly progress?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds the programs of a control plane: in the folder `KUBEBUILDER_ASSETS` if it is set, otherwise those built from
 * the Go module of this folder, which takes some minutes the first time.
 * @throws {ControlPlaneUnavailable} if there are none; the message says how to get them
 */
export async function findPrograms({ progress, signal }: FindOptions = {}): Promise<Programs> {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  if (assets) return programsIn(assets, progress);
  const command = await buildControlPlane({ progress, signal });
  const part = (name: string): Program => ({ command, args: [name], endsWithParent: true });
  return {
    etcd: part("etcd"),
    apiServer: part("kube-apiserver"),
    controllers: part("controllers"),
  };
}

/** Limits kube-controller-manager to the controllers that `controllers.go` starts. */
const controllerManagerArgs = [
  "--controllers=namespace-controller,garbage-collector-controller,serviceaccount-controller,root-ca-certificate-publisher-controller,validatingadmissionpolicy-status-controller,clusterrole-aggregation-controller",
  "--leader-elect=false",
  "--use-service-account-credentials=false",
  "--secure-port=0",
];

async function programsIn(folder: string, progress: FindOptions["progress"]): Promise<Programs> {
  const program = async (name: string, args: readonly string[] = []): Promise<Program | undefined> => {
    const command = join(folder, name);
    return access(command, constants.X_OK).then(
      () => ({ command, args, endsWithParent: false }),
      () => undefined,
    );
  };
  const required = async (name: string): Promise<Program> => {
    const found = await program(name);
    if (found) return found;
    throw new ControlPlaneUnavailable(
      `KUBEBUILDER_ASSETS: ${folder} does not contain the program ${name}; set a folder with etcd and kube-apiserver, or unset the variable to build them with Go`,
    );
  };
  const programs = {
    etcd: await required("etcd"),
    apiServer: await required("kube-apiserver"),
    controllers: await program("kube-controller-manager", controllerManagerArgs),
  };
  if (!programs.controllers)
    progress?.(`${folder} does not contain kube-controller-manager: deleted namespaces will stay`);
  return programs;
}
