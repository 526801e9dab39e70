import type { Api, Resource } from "./api.ts";

/** Bindings that are made by one call, all or none. */
export const batchSize = 5;

/** What was acknowledged, and what may or may not be there because its answer never came. */
export interface Acknowledged {
  readonly made: Set<string>;
  readonly deleted: Set<string>;
  /** Deletions that were sent and not answered. */
  readonly doubtful: Set<string>;
  /** How many of its writes were answered. */
  count: number;
}

export function nothingYet(): Acknowledged {
  return { made: new Set(), deleted: new Set(), doubtful: new Set(), count: 0 };
}

/**
 * Writes in a group until the platform does not answer any more, or `enough`: identities, five bindings of each at
 * once, and each third identity deleted with its bindings.
 */
export async function writeUntil(
  enough: () => boolean,
  api: Api,
  group: string,
  role: string,
  acknowledged: Acknowledged,
): Promise<void> {
  for (let number = 0; !enough(); number++) {
    const claimMatch = { issuer: "https://issuer.example.com", subject: "s" };
    try {
      const identity = await api.send<Resource>("POST", `/iam/v2beta1/identities/${group}`, { name: "i", claimMatch });
      note(acknowledged, identity);
      const binding = { parent: group, roleBinding: { identityUid: identity.uid, roleUid: role } };
      const batch = { parent: group, requests: Array.from({ length: batchSize }, () => binding) };
      const made = await api.send<{ roleBindings: Resource[] }>("POST", "/iam/v2beta1/roleBindings:batchCreate", batch);
      for (const one of made.roleBindings) note(acknowledged, one);
      if (number % 3 !== 0) continue;
      for (const { uid } of [identity, ...made.roleBindings]) acknowledged.doubtful.add(uid);
      await api.send("DELETE", `/iam/v2beta1/identities/${identity.uid}`);
      for (const { uid } of [identity, ...made.roleBindings]) acknowledged.deleted.add(uid);
      acknowledged.count++;
    } catch (error) {
      // The connection of a process that was killed; what the platform answers is a failure of the loop.
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

function note(acknowledged: Acknowledged, { uid }: Resource): void {
  acknowledged.made.add(uid);
  acknowledged.count++;
}
