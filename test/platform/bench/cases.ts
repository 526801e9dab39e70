import { pageCase } from "./case-names.ts";
import type { HttpCall } from "./http-callers.ts";
import type { World } from "./world.ts";

/** The calls of a case by number. @throws {Error} for an unknown case */
export async function callsOf(world: World, name: string): Promise<(n: number) => HttpCall> {
  switch (name) {
    case "get":
      return (n) => world.reading(`/iam/v2beta1/identities/${uidAt(world.identities, n)}`);
    case "create":
      return (n) => ({
        method: "POST",
        path: `/iam/v2beta1/identities/${uidAt(world.groups, n)}`,
        token: world.ownerToken,
        body: JSON.stringify({
          name: `created-${n}`,
          claimMatch: { issuer: "https://issuer.example.com", subject: `system:serviceaccount:created:${n}` },
        }),
      });
    case "exchange static":
      return () => world.staticExchange;
    case "exchange discovered":
      return () => world.discoveredExchange;
    default:
      return pageCalls(world, name);
  }
}

async function pageCalls(world: World, name: string): Promise<() => HttpCall> {
  const page = pageCase(name);
  if (page === undefined) throw new Error(`unknown case "${name}"`);
  const group = page.where === "root" ? world.root : world.subtree;
  const query = `/iam/v2beta1/identities?uidp.descendants_of=${group}&order_by=${page.order.replace(" ", "+")}`;
  const token = page.place === "first" ? "" : `&page_token=${await world.tokenInTheMiddle(query)}`;
  return () => world.reading(`${query}&page_size=200${token}`);
}

function uidAt(uids: readonly string[], n: number): string {
  return uids[n % uids.length] ?? "";
}
