import { labels, logOf, namespace, podSpec } from "#test/node/labelled-pod.ts";
import { restrictedContainer, restrictedPod } from "#test/node/restricted.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";

/**
 * A program of Node.js that reads the file of the token every 200 ms and sends the token to the platform. It prints each new token's key
 * and expiry, each new answer of the platform, and each time that it finds no token or an expired one.
 */
const program = `
const { MUSTER_PLATFORM_URL: url, MUSTER_TOKEN_FILE: file } = process.env;
const decode = (part) => JSON.parse(Buffer.from(part, "base64url").toString());
let last = "", answer = "";
async function look() {
  let token = "";
  try { token = require("node:fs").readFileSync(file, "utf8").trim(); } catch {}
  if (token === "") return console.log("missing", new Date().toISOString());
  const [header, claims] = token.split(".").slice(0, 2).map(decode);
  if (claims.exp * 1000 <= Date.now()) console.log("expired", new Date().toISOString());
  if (token !== last) { console.log("token", header.kid, claims.exp); last = token; answer = ""; }
  const status = await fetch(url + "/iam/v2beta1/groups", { headers: { authorization: "Bearer " + token } })
    .then(async (response) => (await response.text(), String(response.status)), (error) => String(error.cause ?? error));
  if (status !== answer) { console.log("answer", status); answer = status; }
}
(async () => { for (;;) { await look(); await new Promise((resolve) => setTimeout(resolve, 200)); } })();
`;

/** Pods whose container `app` watches its token with a command. @param command by default that program */
export const watchers = (
  image: string,
  replicas: number,
  command: readonly string[] = ["node", "-e", program],
): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "watchers", namespace },
  spec: {
    replicas,
    selector: { matchLabels: { app: "watchers" } },
    template: {
      metadata: { labels: { app: "watchers", ...labels } },
      spec: podSpec({ image, command, ...restrictedContainer }, restrictedPod),
    },
  },
});

/** A token that a watcher has read, with what the platform answered to it, in order. */
export interface SeenToken {
  readonly kid: string;
  readonly expiresAt: number;
  readonly answers: readonly string[];
}

/** What a watcher has seen since it started. */
export interface Seen {
  readonly tokens: readonly SeenToken[];
  /** Lines that say when there was no token, or an expired one. */
  readonly faults: readonly string[];
}

/** The pods of the watchers. */
export async function watcherPods(admin: KubeClient): Promise<readonly KubeObject[]> {
  const pods = await admin.list({ apiVersion: "v1", kind: "Pod" }, { namespace });
  return pods.filter(({ metadata }) => metadata.labels?.["app"] === "watchers");
}

/** What each watcher has seen with the program, by the name of its pod. */
export async function seenByWatchers(admin: KubeClient): Promise<ReadonlyMap<string, Seen>> {
  const pods = await watcherPods(admin);
  return new Map(
    await Promise.all(pods.map(async (pod) => [pod.metadata.name, parse(await logOf(admin, pod, "app"))] as const)),
  );
}

function parse(log: string): Seen {
  const tokens: { kid: string; expiresAt: number; answers: string[] }[] = [];
  const faults: string[] = [];
  for (const line of log.split("\n")) {
    const [, event = "", rest = ""] = /^(token|answer) (.*)$/.exec(line) ?? [];
    const [kid = "", expiry] = rest.split(" ");
    if (event === "token") tokens.push({ kid, expiresAt: Number(expiry) * 1000, answers: [] });
    else if (event === "answer") tokens.at(-1)?.answers.push(rest);
    else faults.push(line);
  }
  return { tokens, faults: faults.filter((line) => line !== "") };
}
