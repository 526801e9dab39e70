import { expect, it } from "vitest";
import { apiVersion } from "#src/api/custom-resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { KubeError } from "#src/kube/errors.ts";
import type { KubeList, ResourceKind } from "#src/kube/object.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { readCluster } from "./read-cluster.ts";

const { signal } = new AbortController();

/** A cluster that throws at any call but a list. */
function listing(list: (resource: ResourceKind, page: string | undefined) => KubeList): Pick<KubeApi, "list"> {
  return new Proxy({} as Pick<KubeApi, "list">, {
    get: (_target, name) => {
      if (name !== "list") throw new Error(`the plan called ${String(name)}`);
      return async (resource: ResourceKind, options: { continue?: string }) => list(resource, options.continue);
    },
  });
}

it("lists all pages of what the operator watches, and calls nothing else", async () => {
  const pages: string[] = [];
  const kube = listing(({ plural }, page = "first") => {
    pages.push(`${plural} ${page}`);
    const name = `${plural}-${page}`;
    const item = { metadata: { name, managedFields: [] } } as unknown as KubeList["items"][number];
    return { metadata: plural === "groups" && page === "first" ? { continue: "second" } : {}, items: [item] };
  });
  const objects = await readCluster(kube, kinds, signal);
  const plurals = ["namespaces", "tenants", ...kinds.map(({ definition: { plural } }) => plural)];
  expect(pages.toSorted()).toEqual(["groups second", ...plurals.map((plural) => `${plural} first`)].toSorted());
  expect(objects.filter(({ kind }) => kind === "Group")).toEqual([
    { apiVersion, kind: "Group", metadata: { name: "groups-first" } },
    { apiVersion, kind: "Group", metadata: { name: "groups-second" } },
  ]);
});

it("says what is missing if a kind may not be listed", async () => {
  const kube = listing(({ plural }) => {
    if (plural !== "tenants") return { metadata: {}, items: [] };
    throw new KubeError({ call: "list tenants", code: 403, reason: "Forbidden" }, "forbidden");
  });
  await expect(readCluster(kube, kinds, signal)).rejects.toThrow("A plan needs all tenants of the cluster");
});
