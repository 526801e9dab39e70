import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { buildControlPlane } from "./build.ts";
import { ControlPlaneUnavailable } from "./unavailable.ts";

/** A program and the arguments that come before its flags. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** Ends when its standard input does, and so with the process that started it. */
  readonly endsWithParent: boolean;
}

/** The servers of a control plane. Assets of the kind that envtest downloads have no controller manager. */
export interface Programs {
  readonly etcd: Program;
  readonly apiServer: Program;
  readonly controllerManager: Program | undefined;
}

export interface FindOptions {
  /** Told what happens while something takes long; one line without a line end. */
  readonly progress?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds the programs of a control plane: in the folder that `KUBEBUILDER_ASSETS` names if it is set, else those built
 * from this folder's Go module, which takes some minutes the first time.
 * @throws {ControlPlaneUnavailable} where neither can be had; its message tells the mend.
 */
export async function findPrograms({ progress, signal }: FindOptions = {}): Promise<Programs> {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  if (assets) return programsIn(assets, progress);
  const command = await buildControlPlane({ progress, signal });
  const part = (name: string): Program => ({ command, args: [name], endsWithParent: true });
  return {
    etcd: part("etcd"),
    apiServer: part("kube-apiserver"),
    controllerManager: part("kube-controller-manager"),
  };
}

async function programsIn(folder: string, progress: FindOptions["progress"]): Promise<Programs> {
  const program = async (name: string): Promise<Program | undefined> => {
    const command = join(folder, name);
    return access(command, constants.X_OK).then(
      () => ({ command, args: [], endsWithParent: false }),
      () => undefined,
    );
  };
  const needed = async (name: string): Promise<Program> => {
    const found = await program(name);
    if (found) return found;
    throw new ControlPlaneUnavailable(
      `KUBEBUILDER_ASSETS is ${folder}, where there is no program ${name}: name a folder with etcd and kube-apiserver, or unset it to have them built with Go`,
    );
  };
  const programs = {
    etcd: await needed("etcd"),
    apiServer: await needed("kube-apiserver"),
    controllerManager: await program("kube-controller-manager"),
  };
  if (!programs.controllerManager)
    progress?.(`there is no kube-controller-manager in ${folder}: namespaces that are deleted will stay`);
  return programs;
}
