import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { vi } from "vitest";
import type { Cluster } from "#test/node/cluster.ts";
import { operatorNamespace } from "#test/node/try-out.ts";
import { PlatformAdmin } from "#test/support/harness/platform-admin.ts";

/** The platform of the chart `muster-try-out` on a node of this machine, for its administrator. */
export interface PlatformOnNode {
  /** Where this machine reaches it. */
  readonly url: string;
  readonly adminToken: string;
  readonly admin: PlatformAdmin;
  /** The folder with its files. */
  readonly folder: string;
}

const nodePort = 30_080;

/** Gives the platform a port of the node, and returns when it responds there. */
export async function reachPlatform({ admin, isolation }: Cluster): Promise<PlatformOnNode> {
  const selector = { "app.kubernetes.io/name": "muster", "app.kubernetes.io/component": "platform" };
  await admin.apply({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "from-this-machine", namespace: operatorNamespace },
    spec: { type: "NodePort", selector, ports: [{ port: 8080, targetPort: "http", nodePort }] },
  });
  const url = `http://${isolation.address}:${nodePort}`;
  await vi.waitFor(() => fetch(url), { timeout: 20_000, interval: 100 });
  const folder = await folderWith("admin-token", join(isolation.folder, "volumes"));
  const adminToken = (await readFile(join(folder, "admin-token"), "utf8")).trim();
  return { url, adminToken, admin: new PlatformAdmin(url, adminToken), folder };
}

/** The folder that has a file, of all in a folder. */
async function folderWith(file: string, parent: string): Promise<string> {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name);
    const has = await access(join(folder, file)).then(
      () => true,
      () => false,
    );
    if (has) return folder;
  }
  throw new Error(`no folder in ${parent} has ${file}`);
}
