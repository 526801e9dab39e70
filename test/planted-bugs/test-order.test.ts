import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { levelOf, TestOrder } from "./test-order.ts";

const order = new TestOrder(fileURLToPath(new URL("../../", import.meta.url)));

it("tries the tests that import a file before those that reach it through others", () => {
  const files = order.filesFor("src/kube/reflector.ts", "unit");
  expect(files.slice(0, 2).toSorted()).toEqual(["src/kube/reflector-watch.test.ts", "src/kube/reflector.test.ts"]);
  expect(files).not.toContain("src/text/nearest.test.ts");
});

it("tries tests that start Muster as a process, whatever they import", () => {
  expect(order.filesFor("src/workload/agent.ts", "integration")).toContain("test/platform/kill/kill.test.ts");
});

it.each([
  ["src/kube/watch.test.ts", "unit"],
  ["src/platform/tests/audit.test.ts", "unit"],
  ["test/operator/simulation/relist.test.ts", "integration"],
  ["test/platform/conformance/conformance.test.ts", "integration"],
  ["test/operator/cluster/killed.test.ts", "cluster"],
])("has %s in the level %s", (file, level) => {
  expect(levelOf(file)).toBe(level);
});

it("has the simulations in two levels", () => {
  const simulation = "test/operator/simulation/relist.test.ts";
  const file = "src/reconcile/observe/missing-objects.ts";
  for (const level of ["integration", "admission"] as const) expect(order.filesFor(file, level)).toContain(simulation);
  expect(order.filesFor(file, "unit")).not.toContain(simulation);
});
