import type { HttpCall } from "./http-callers.ts";
import type { World } from "./world.ts";

/** The calls of a case by number. */
type CallsOf = (world: World) => Promise<(n: number) => HttpCall>;

/** All cases in the order of their measurement. Those that change the data come last. */
const cases = new Map<string, CallsOf>();

cases.set("get", async (world) => (n) => world.reading(`/iam/v2beta1/identities/${inTurn(world.identities, n)}`));
// A List of identities: below the root or a tenth of it, in an order, the first page or one in the middle.
for (const where of ["root", "subtree"] as const)
  for (const order of ["uid", "name", "created_at", "created_at desc"])
    for (const place of ["first", "deep"] as const)
      cases.set(`page ${where} ${order} ${place}`, async (world) => {
        const query = `/iam/v2beta1/identities?uidp.descendants_of=${world[where]}&order_by=${order.replace(" ", "+")}`;
        const token = place === "first" ? "" : `&page_token=${await world.tokenInTheMiddle(query)}`;
        return () => world.reading(`${query}&page_size=200${token}`);
      });
// One page after the other: more than the platform keeps ready.
cases.set("page root uid each", async (world) => {
  const query = `/iam/v2beta1/identities?uidp.descendants_of=${world.root}&page_size=200`;
  const tokens = await world.pageTokens(query);
  return (n) => world.reading(`${query}&page_token=${inTurn(tokens, n)}`);
});
cases.set("exchange static", async (world) => () => world.staticExchange);
cases.set("exchange discovered", async (world) => () => world.discoveredExchange);
cases.set("exchange new", async (world) => () => world.newExchange());
cases.set("create", async (world) => (n) => ({
  method: "POST",
  path: `/iam/v2beta1/identities/${inTurn(world.groups, n)}`,
  token: world.ownerToken,
  body: JSON.stringify({
    name: `created-${n}`,
    claimMatch: { issuer: "https://issuer.example.com", subject: `system:serviceaccount:created:${n}` },
  }),
}));

export const caseNames: readonly string[] = [...cases.keys()];

/** @throws {Error} for an unknown case */
export async function callsOf(world: World, name: string): Promise<(n: number) => HttpCall> {
  const found = cases.get(name);
  if (found === undefined) throw new Error(`unknown case "${name}"`);
  return found(world);
}

function inTurn(texts: readonly string[], n: number): string {
  return texts[n % texts.length] ?? "";
}
