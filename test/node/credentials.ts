import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { kubeconfig } from "#test/support/control-plane/kubeconfig.ts";

/** The name of the only node. */
export const nodeName = "node";

/** Who uses the API before there are service accounts, with the names and groups that the roles of Kubernetes are bound to. */
const users = {
  admin: { name: "admin", groups: ["system:masters"] },
  kubelet: { name: `system:node:${nodeName}`, groups: ["system:nodes"] },
  "kube-proxy": { name: "system:kube-proxy", groups: [] },
  "kube-scheduler": { name: "system:kube-scheduler", groups: [] },
  "kube-controller-manager": { name: "system:kube-controller-manager", groups: [] },
} as const;

type User = keyof typeof users;

export interface Credentials {
  /** The path of the file that the API server reads. */
  readonly tokenFile: string;
  readonly adminToken: string;
  /** The path of the kubeconfig of a user. */
  readonly kubeconfig: Readonly<Record<User, string>>;
}

/** Writes tokens of all users, and their kubeconfigs, into a folder. @param context the name of the contexts */
export async function writeCredentials(
  folder: string,
  { url, caFile, context }: { readonly url: string; readonly caFile: string; readonly context: string },
): Promise<Credentials> {
  const ca = await readFile(caFile, "utf8");
  const secret = { mode: 0o600 };
  const lines: string[] = [];
  const files: Partial<Record<User, string>> = {};
  let adminToken = "";
  for (const [user, { name, groups }] of Object.entries(users)) {
    const token = randomBytes(24).toString("base64url");
    lines.push(`${token},${name},${name},"${groups.join(",")}"`);
    const file = join(folder, `${user}.kubeconfig`);
    await writeFile(file, kubeconfig({ url, ca, token, user: name, context }), secret);
    files[user as User] = file;
    if (user === "admin") adminToken = token;
  }
  const tokenFile = join(folder, "tokens.csv");
  await writeFile(tokenFile, `${lines.join("\n")}\n`, secret);
  return { tokenFile, adminToken, kubeconfig: files as Record<User, string> };
}
