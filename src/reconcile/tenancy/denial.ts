/** The field of a spec that a Tenant does not permit, why, and what it does permit. */
export interface Denial {
  readonly path: string;
  readonly message: string;
}

export function denial(path: string, message: string): Denial {
  return { path, message };
}

/** How to fix a value that a field of the Tenant does not list. */
export function useOrAsk(listed: readonly string[], field: string): string {
  const ask = `sk an administrator to add it to ${field} of the Tenant.`;
  return listed.length === 0 ? `A${ask}` : `Use one of ${listed.join(", ")}, or a${ask}`;
}
