import type { KindRef, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import { allMusterKinds, kindRef } from "./muster-objects.ts";
import type { System } from "./system.ts";

const searchedKinds: readonly KindRef[] = [
  ...allMusterKinds.map(kindRef),
  { apiVersion: "events.k8s.io/v1", kind: "Event" },
  { apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
];

/** The first two parts of a JSON Web Token, in base64url. */
const jsonWebToken = /eyJ[\w-]{8,}\.[\w-]{8,}/;

/**
 * Searches for tokens in the output of the processes, in metrics, and in Muster objects, events and Leases.
 * @param more tokens in addition to those that the system issued
 * @returns the places that contain a token, without the token
 */
export async function leakedSecrets(system: System, more: Iterable<string> = []): Promise<string[]> {
  const texts: [where: string, text: string][] = [
    ["the platform's log", JSON.stringify(system.platformLog)],
    ["the platform's metrics", await (await fetch(`${system.platformUrl}/metrics`)).text()],
  ];
  for (const [index, operator] of system.operators.entries()) {
    texts.push([`the log of operator ${index}`, JSON.stringify(operator.log)]);
    texts.push([`the plain output of operator ${index}`, operator.plainOutput]);
    const address = operator.log.find(({ msg }) => msg === "listening")?.["address"];
    // One that was just started does not listen yet.
    if (operator.running && typeof address === "string")
      texts.push([`the metrics of operator ${index}`, await (await fetch(`${address}/metrics`)).text()]);
  }
  for (const kind of searchedKinds)
    for (const object of await listIfServed(system, kind))
      texts.push([`${kind.kind} ${object.metadata.name}`, JSON.stringify(object)]);
  return texts.filter(([, text]) => leakedIn(system, text, more)).map(([where]) => where);
}

/** Whether the text has a token. @param more tokens in addition to those that the system issued */
export function leakedIn({ secrets }: System, text: string, more: Iterable<string> = []): boolean {
  return jsonWebToken.test(text) || [...secrets, ...more].some((secret) => text.includes(secret));
}

async function listIfServed({ controlPlane }: System, kind: KindRef): Promise<KubeObject[]> {
  return controlPlane.admin.list(kind).catch((error: unknown) => {
    if (error instanceof KubeError && error.code === 404) return [];
    throw error;
  });
}
