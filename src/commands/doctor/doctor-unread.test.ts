import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import type { LinkValue } from "#src/commands/why/link.ts";
import { definitions, DoctorWorld } from "./doctor-world.testing.ts";
import { shippedPolicies } from "./shipped-policies.ts";

let world: DoctorWorld;
beforeAll(async () => {
  world = await DoctorWorld.start();
});
afterAll(() => world.stop());
beforeEach(() => world.reset());

/** Refuses to read these paths. */
function forbid(...paths: readonly string[]): void {
  for (const path of paths) world.cluster.forbidden.add(path);
}

it("does not conclude anything from what the caller may not read", async () => {
  forbid(
    "tenants",
    "subjectaccessreviews",
    "namespaces/kube-system",
    "namespaces/muster-system/leases/muster-operator",
  );
  forbid(...definitions.map(({ plural }) => `customresourcedefinitions/${plural}.iam.muster.dev`));
  const found = await world.failures();
  expect(found.map(({ state }) => state)).toEqual(found.map(() => "unknown"));
  expect(found).toHaveLength(definitions.length + 6);
  expect(found.filter(({ fix }) => fix?.includes("kubectl create") !== true)).toEqual([]);
});

it("prints the command of a fix in Markdown as code, which changes no character of it", async () => {
  forbid("tenants");
  const { stdout } = await world.doctor(["-o", "markdown"]);
  expect(stdout).toMatch(/: Ask an administrator to run: ` kubectl create [^`]* --user=ana@example\.com `$/m);
  expect((await world.failures()).map(({ fix, link }) => [link, fix])).toEqual(
    ["dry run", "dry run", "Tenant"].map((link) => [
      link,
      expect.stringMatching(/run: kubectl .* --user=ana@example\.com$/),
    ]),
  );
});

it("is not healthy if nothing could be checked", async () => {
  world.cluster.clear();
  forbid("tenants", "subjectaccessreviews", "namespaces/muster-system/leases/muster-operator");
  forbid(...definitions.map(({ plural }) => `customresourcedefinitions/${plural}.iam.muster.dev`));
  for (const { name, type } of shippedPolicies([])) forbid(`${type.toLowerCase()}admissionpolicies/${name}`);
  const args = ["doctor", ...world.withCluster(), "-o", "json"];
  const { code, stdout } = await runCommand(args, { env: { HOME: world.folder } });
  const { checks, healthy } = JSON.parse(stdout) as { healthy: boolean; checks: readonly LinkValue[] };
  expect([...new Set(checks.map(({ state }) => state))]).toEqual(["unknown"]);
  expect(checks.filter(({ fix = "" }) => fix === "")).toEqual([]);
  expect({ code, healthy }).toEqual({ code: 0, healthy: false });
});
