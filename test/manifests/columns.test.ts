import { beforeAll, expect, it } from "vitest";
import { apiGroup, version } from "#src/api/custom-resource.ts";
import { type KindName, kinds } from "#src/kinds/kinds.ts";
import { applyDefinitions } from "#test/deploy/definitions.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import { examples } from "#test/support/harness/examples.ts";
import { root, team } from "./case.ts";

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly (string | null)[] }[];
}

const namespace = "shop";

describeWithControlPlane("the printer columns of the examples", (controlPlane) => {
  beforeAll(async () => {
    const { admin } = controlPlane();
    await applyDefinitions(admin);
    await admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const time = "2026-11-21T06:00:00Z";
    const ready = { type: "Ready", status: "True", reason: "Available", message: "Ready.", lastTransitionTime: time };
    const status = { observedGeneration: 1, uid: team, lastSyncTime: time, conditions: [ready] };
    for (const object of await examples(root)) {
      await admin.apply(object);
      await admin.patch(object, { status }, "status");
    }
  });

  /** The table that `kubectl get` prints; the age, which varies, is left out. */
  async function lines(kind: KindName, wide: boolean): Promise<(readonly string[])[]> {
    const plural = kinds.find(({ name }) => name === kind)?.definition.plural;
    const path = `/apis/${apiGroup}/${version}/namespaces/${namespace}/${plural}`;
    const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
    const { columnDefinitions, rows }: Table = await controlPlane().admin.request("GET", path, { accept });
    const shown = columnDefinitions.map(
      ({ name, priority }) => (wide || priority === 0) && !/^(Age|Last sync)$/.test(name),
    );
    const all = [columnDefinitions.map(({ name }) => name.toUpperCase()), ...rows.map(({ cells }) => cells)];
    return all.map((line) => line.filter((_, index) => shown[index] === true).map((cell) => cell ?? ""));
  }

  it("name the references, and leave a reference by uid to -o wide", async () => {
    expect(await lines("Group", false)).toEqual([
      ["NAME", "PARENT", "READY", "REASON"],
      ["checkout", "shop", "True", "Available"],
      ["checkout-production", "checkout", "True", "Available"],
      ["shop", "", "True", "Available"],
    ]);
    expect(await lines("Identity", false)).toEqual([
      ["NAME", "GROUP", "READY", "REASON"],
      ["builds", "shop", "True", "Available"],
      ["checkout", "checkout-production", "True", "Available"],
    ]);
    expect(await lines("RoleBinding", false)).toEqual([
      ["NAME", "GROUP", "IDENTITY", "ROLE", "READY", "REASON"],
      ["builds-edit", "shop", "builds", "editor", "True", "Available"],
      ["checkout-pulls", "checkout-production", "checkout", "registry.pull", "True", "Available"],
    ]);
  });

  it("show the name on the platform and the claims with -o wide", async () => {
    expect(await lines("Group", true)).toEqual([
      ["NAME", "PARENT", "READY", "REASON", "PLATFORM NAME", "UID", "MESSAGE"],
      ["checkout", "shop", "True", "Available", "checkout", team, "Ready."],
      ["checkout-production", "checkout", "True", "Available", "checkout production", team, "Ready."],
      ["shop", "", "True", "Available", "shop", team, "Ready."],
    ]);
    const [, builds, checkout] = await lines("Identity", true);
    const issuer = "https://token.actions.githubusercontent.com";
    expect(builds).toEqual(expect.arrayContaining([issuer, "repo:example/shop:ref:refs/heads/main"]));
    expect(checkout?.slice(4)).toEqual(["checkout", "", "", "checkout", team, "Ready."]);
  });

  it.each(["Group", "Identity"] as const)("fit into 80 columns for %s, also in kubectl get muster", async (kind) => {
    const separator = 3;
    const prefix = `${kind.toLowerCase()}.${apiGroup}/`.length;
    const table = await lines(kind, false);
    const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)));
    const age = "AGE".length;
    expect(prefix + widths.reduce((sum, width) => sum + width + separator, 0) + age).toBeLessThanOrEqual(80);
  });
});
