import type { KindRef, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import { kindRef, musterKinds } from "./muster-objects.ts";
import type { System } from "./system.ts";

const lookedAt: readonly KindRef[] = [
  ...musterKinds.map(kindRef),
  { apiVersion: "events.k8s.io/v1", kind: "Event" },
  { apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
];

/** Anything like a JSON Web Token: the beginning of one, in base64url, and a second part. */
const jsonWebToken = /eyJ[\w-]{8,}\.[\w-]{8,}/;

/**
 * Where a token shows: in what the processes have written, in what Kubernetes keeps of Muster, in metrics. `more` are
 * tokens beside those that the system gave out. Never tells the token itself.
 */
export async function leakedSecrets(system: System, more: Iterable<string> = []): Promise<string[]> {
  const texts: [where: string, text: string][] = [
    ["the platform's log", JSON.stringify(system.platformLog)],
    ["the platform's metrics", await (await fetch(`${system.platformUrl}/metrics`)).text()],
  ];
  for (const [index, operator] of system.operators.entries()) {
    texts.push([`the log of operator ${index}`, JSON.stringify(operator.log)]);
    texts.push([`what operator ${index} said`, operator.plainOutput]);
    const address = operator.log.find(({ msg }) => msg === "listening")?.["address"];
    if (operator.running)
      texts.push([`the metrics of operator ${index}`, await (await fetch(`${String(address)}/metrics`)).text()]);
  }
  for (const kind of lookedAt)
    for (const object of await listIfThere(system, kind))
      texts.push([`${kind.kind} ${object.metadata.name}`, JSON.stringify(object)]);
  const secrets = [...system.secrets, ...more];
  return texts
    .filter(([, text]) => jsonWebToken.test(text) || secrets.some((secret) => text.includes(secret)))
    .map(([where]) => where);
}

async function listIfThere({ controlPlane }: System, kind: KindRef): Promise<KubeObject[]> {
  return controlPlane.admin.list(kind).catch((error: unknown) => {
    if (error instanceof KubeError && error.code === 404) return [];
    throw error;
  });
}
