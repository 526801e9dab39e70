import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// Two projects by what they need: `unit` needs nothing but this process and loopback; `cluster` needs a real
// kube-apiserver (see test/control-plane), and starts the parts of Muster as processes.
export default defineConfig({
  test: {
    // Tests of processes wait more than they work, so two at a time are no load for two cores.
    maxWorkers: Math.max(2, Math.floor(availableParallelism() / 2)),
    reporters: ["default", "./scripts/count-reporter.ts"],
    projects: [
      { extends: true, test: { name: "unit", include: ["src/**/*.test.ts", "scripts/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "cluster",
          include: ["test/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
