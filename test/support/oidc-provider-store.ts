/** What the package oidc-provider stores. */
interface Payload {
  readonly uid?: string;
  readonly userCode?: string;
  readonly grantId?: string;
  consumed?: number;
}

/**
 * The memory of one OpenID provider, in the form that the package oidc-provider asks for. Without one, the package warns at each
 * start, and all providers of a process share a memory.
 */
export class OidcProviderStore {
  readonly #payloads = new Map<string, Payload>();

  /** The adapter for one kind of what is stored, such as `Session`. */
  readonly adapter = (model: string): object => {
    const payloads = this.#payloads;
    const key = (id: string) => `${model}:${id}`;
    const find = (matches: (payload: Payload) => boolean) =>
      [...payloads].find(([one, payload]) => one.startsWith(key("")) && matches(payload))?.[1];
    return {
      upsert: async (id: string, payload: Payload) => void payloads.set(key(id), payload),
      find: async (id: string) => payloads.get(key(id)),
      findByUid: async (uid: string) => find((payload) => payload.uid === uid),
      findByUserCode: async (code: string) => find((payload) => payload.userCode === code),
      consume: async (id: string) => {
        const payload = payloads.get(key(id));
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1_000);
      },
      destroy: async (id: string) => void payloads.delete(key(id)),
      revokeByGrantId: async (grantId: string) => {
        for (const [one, payload] of payloads) if (payload.grantId === grantId) payloads.delete(one);
      },
    };
  };
}
