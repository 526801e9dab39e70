import { expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { listAbove } from "./above-roots.ts";

const organisation = "a".repeat(40);
const division = `${organisation}/1111111111111111`;
const root = `${division}/2222222222222222`;
const binding = { uid: `${organisation}/ffffffffffffffff` };

function sessionWith(roots: readonly string[], list: (group: string) => readonly object[] | undefined) {
  const asked: string[] = [];
  const session = {
    roots,
    peek: async (_type: unknown, _capability: string, { childrenOf }: { readonly childrenOf: string }) => {
      asked.push(childrenOf);
      const found = list(childrenOf);
      return async () => found;
    },
  } as unknown as PlatformSession;
  return { asked, session };
}

it("lists the role bindings of each group above, and says where it may not", async () => {
  const { session } = sessionWith([root], (group) => (group === organisation ? [binding] : undefined));
  expect(await (await listAbove(session, kinds))()).toEqual(
    new Map([
      [division, null],
      [organisation, [binding]],
    ]),
  );
});

it("keeps what it knew of a group whose list fails", async () => {
  const { session } = sessionWith([root], () => {
    throw new Error("away");
  });
  const before = new Map([[organisation, [binding]]]);
  expect(await (await listAbove(session, kinds, before))()).toEqual(
    new Map([
      [division, null],
      [organisation, [binding]],
    ]),
  );
});

it.each([[[organisation]], [[organisation, root]]])("lists nothing that is within a root: %j", async (roots) => {
  const { asked, session } = sessionWith(roots, () => []);
  expect((await (await listAbove(session, kinds))()).size).toBe(0);
  expect(asked).toEqual([]);
});
