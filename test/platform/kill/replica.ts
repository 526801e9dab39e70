import { readFileSync } from "node:fs";
import { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";

/** A platform that writers use, and that may be killed. */
export interface Replica {
  readonly process: PlatformProcess;
  readonly url: string;
  readonly token: string;
  readonly platform: PlatformAdmin;
  readonly rootGroup: string;
}

export async function startReplica(flags: readonly string[], adminTokenFile: string): Promise<Replica> {
  const process = new PlatformProcess([...flags, "--admin-token-file", adminTokenFile]);
  const { baseUrl: url, rootGroup } = await process.listening();
  const token = readFileSync(adminTokenFile, "utf8").trim();
  return { process, url, token, platform: new PlatformAdmin(url, token), rootGroup };
}

export function firstOf([first]: readonly Replica[]): Replica {
  if (first === undefined) throw new Error("no replica is running");
  return first;
}
