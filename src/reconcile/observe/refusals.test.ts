import { expect, it } from "vitest";
import { observeRefusals } from "./refusals.ts";
import type { Sources } from "./sources.ts";

type Refused = readonly [key: string, step: string, refusal: { code: number; message: string }];

function refusalsOf(byKind: Readonly<Record<string, readonly Refused[]>>) {
  const kinds = Object.keys(byKind).map((name) => ({ name }));
  const states = { get: (kind: string) => ({ refusals: () => byKind[kind] ?? [] }) };
  return observeRefusals({ kinds, states } as unknown as Sources);
}

const refused = (key: string, step = "writeStatus", message = "no"): Refused => [key, step, { code: 403, message }];

it("counts what Kubernetes refuses by kind, step and namespace, the most first", () => {
  expect(
    refusalsOf({
      Group: [
        refused("team/a"),
        refused("others/a"),
        refused("team/b", "writeStatus", "other"),
        refused("team/a", "readCrd"),
      ],
      Tenant: [refused("shop"), refused("team/c"), refused("team/d"), refused("team/e")],
    }),
  ).toEqual([
    { namespace: "team", kind: "Tenant", step: "writeStatus", code: 403, objects: 3, message: "no" },
    { namespace: "team", kind: "Group", step: "writeStatus", code: 403, objects: 2, message: "no" },
    { namespace: "others", kind: "Group", step: "writeStatus", code: 403, objects: 1, message: "no" },
    { namespace: "team", kind: "Group", step: "readCrd", code: 403, objects: 1, message: "no" },
    { namespace: "", kind: "Tenant", step: "writeStatus", code: 403, objects: 1, message: "no" },
  ]);
});

it("returns at most 64 counts", () => {
  const many = Array.from({ length: 70 }, (_, index) => refused(`team-${index}/a`));
  expect(refusalsOf({ Group: [...many, refused("team-69/b")] })).toHaveLength(64);
  expect(refusalsOf({ Group: [...many, refused("team-69/b")] })[0]).toMatchObject({ namespace: "team-69", objects: 2 });
});
