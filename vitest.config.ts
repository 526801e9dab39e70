import { defineConfig } from "vitest/config";

// Three projects by what they need: `unit` needs nothing, `platform` starts the platform service on loopback,
// `cluster` needs a real kube-apiserver (see test/control-plane).
export default defineConfig({
  test: {
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
