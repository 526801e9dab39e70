import { expect, it } from "vitest";
import { finalizer } from "#src/api/custom-resource.ts";
import { groupKind } from "#src/kinds/group.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { newResourceStores } from "./observe/resource-stores.ts";
import type { Sources } from "./observe/sources.ts";
import { performOnKubernetes } from "./perform.ts";
import { groupResource, observed } from "./policy/observed-fixture.testing.ts";

const other = "example.com/other";
const { signal } = new AbortController();

/** The body of the request that a step makes for an object at version 1, with these finalizers. */
async function written(
  step: Parameters<typeof performOnKubernetes>[4],
  finalizers: readonly string[],
): Promise<unknown> {
  const group = groupResource();
  const resource = { ...group, metadata: { ...group.metadata, finalizers: [...finalizers] } };
  const bodies: unknown[] = [];
  const kube = {
    patch: async (_resource: unknown, _namespace: unknown, _name: unknown, body: object) => {
      bodies.push(body);
      return { ...resource, ...body };
    },
  } as unknown as Pick<KubeApi, "patch">;
  const sources = { stores: newResourceStores([groupKind]) } as unknown as Sources;
  await performOnKubernetes(sources, kube, groupKind, observed({ resource }), step, signal);
  expect(bodies).toHaveLength(1);
  return bodies[0];
}

const preconditions = { uid: "uid-of-payments", resourceVersion: "1" };

it("writes a status to no other version of the object than the one that was decided from", async () => {
  const status = { observedGeneration: 1 };
  expect(await written({ do: "writeStatus", patch: status }, [])).toEqual({ metadata: preconditions, status });
});

it("adds our finalizer once, and keeps those of others", async () => {
  for (const before of [[other], [finalizer, other]])
    expect(await written({ do: "addFinalizer" }, before)).toEqual({
      metadata: { ...preconditions, finalizers: [other, finalizer] },
    });
});

it("removes our finalizer alone", async () => {
  expect(await written({ do: "removeFinalizer" }, [finalizer, other])).toEqual({
    metadata: { ...preconditions, finalizers: [other] },
  });
});
