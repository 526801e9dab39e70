import { imageOf, type Target } from "#test/node/try-out.ts";
import { certificateSecret } from "./database-pod.ts";
import { kubectl } from "./kubectl.ts";
import { restrictedPodNamed } from "./restricted-pod.ts";

const name = "caller";

/** Calls the platform all the time, and prints each second how many calls it made, and why some failed. */
const program = `
const { URL: url, TOKEN: token, CALLERS: callers } = process.env;
let calls = 0;
const failures = [];
const call = async (name, path, init = {}) => {
  const response = await fetch(url + path, {
    ...init,
    headers: { authorization: "Bearer " + token, "content-type": "application/json", ...init.headers },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(name + " " + response.status + " " + text);
  calls++;
  return JSON.parse(text);
};
async function caller(number) {
  // Every other caller connects again for each call.
  const headers = number % 2 === 0 ? {} : { connection: "close" };
  for (let round = 0; ; round++) {
    try {
      const { groups } = await call("list", "/iam/v2beta1/groups", { headers });
      if (number < 2)
        await call("update", "/iam/v2beta1/groups/" + groups[0].uid, { method: "PATCH", headers, body: JSON.stringify({ description: number + " " + round }) });
    } catch (error) {
      failures.push(new Date().toISOString() + " caller " + number + ": " + error.message + " " + (error.cause?.code ?? error.cause?.message ?? ""));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
for (let number = 0; number < callers; number++) void caller(number);
setInterval(() => console.log(JSON.stringify({ calls, failures })), 1000);
`;

/** Starts a pod that calls the chart's platform, which serves TLS, with a new admin token. */
export async function startCaller(
  target: Target,
  { namespace, callers }: { readonly namespace: string; readonly callers: number },
): Promise<void> {
  const inPlatform = ["exec", "--namespace", namespace, "muster-platform-0", "--"];
  await kubectl(target, [...inPlatform, "muster", "platform", "admin-token", "--rotate"]);
  const token = await kubectl(target, [...inPlatform, "cat", "/data/admin-token"]);
  const env = {
    URL: `https://muster-platform.${namespace}.svc:8080`,
    TOKEN: token.trim(),
    CALLERS: String(callers),
    NODE_EXTRA_CA_CERTS: "/ca/ca.crt",
  };
  const container = {
    image: imageOf(target),
    command: ["node", "-e", program],
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
    volumeMounts: [{ name: "ca", mountPath: "/ca" }],
  };
  const ca = { secretName: certificateSecret, items: [{ key: "ca.crt", path: "ca.crt" }] };
  await target.admin.create(restrictedPodNamed({ name, namespace }, container, [{ name: "ca", secret: ca }]));
}

/** What the pod has printed last. */
export async function progressOfCaller(
  target: Target,
  namespace: string,
): Promise<{ readonly calls: number; readonly failures: readonly string[] }> {
  return JSON.parse(await kubectl(target, ["logs", name, "--namespace", namespace, "--tail=1"]));
}
