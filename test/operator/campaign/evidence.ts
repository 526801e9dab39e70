import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { saveLogs } from "#test/support/harness/save-logs.ts";
import { takePicture } from "./picture.ts";
import type { World } from "./world.ts";

/**
 * What explains a violation, in a folder of its own: the logs of all operators and of the platform, the metrics of the
 * operators that run, the Lease, and the state of the cluster and the platform. The timing of a round does not repeat.
 */
export class Evidence {
  readonly #name: string;
  #folder: string | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** Where it is; undefined if nothing was saved. */
  get folder(): string | undefined {
    return this.#folder;
  }

  /** Saves the present state as `moment`. What cannot be read is saved as the error. */
  async save(world: World, moment: string, violations: readonly string[]): Promise<void> {
    this.#folder ??= await mkdtemp(join(tmpdir(), `muster-${this.#name}-`));
    const folder = join(this.#folder, moment);
    await mkdir(folder);
    const write = async (name: string, content: () => unknown) => {
      let value: unknown;
      try {
        value = await content();
      } catch (error) {
        value = String(error);
      }
      await writeFile(join(folder, name), typeof value === "string" ? value : JSON.stringify(value, null, 2));
    };
    const { operators, system, kube } = world;
    await write("violations.txt", () => violations.join("\n"));
    await write("failed-starts.txt", () => operators.failures.join("\n"));
    await saveLogs(system, folder);
    for (const { process, url } of operators.running)
      await write(`metrics-${system.operators.indexOf(process)}.txt`, async () => {
        const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5_000) });
        return await response.text();
      });
    await write("leases.json", () =>
      kube.list({ apiVersion: "coordination.k8s.io/v1", kind: "Lease" }, { namespace: system.operatorNamespace }),
    );
    await write("tenants.json", () => kube.list({ apiVersion: "iam.muster.dev/v1beta1", kind: "Tenant" }));
    await write("picture.json", async () => {
      const { objects, resources, teams, ownerId } = await takePicture(world);
      return { ownerId, teams: Object.fromEntries(teams), objects, resources };
    });
  }
}
