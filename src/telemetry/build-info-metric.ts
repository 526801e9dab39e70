import { Gauge, type Registry } from "prom-client";
import { buildInfo } from "./build-info.ts";

/** Registers `muster_build_info`, which every process of Muster exports. */
export function registerBuildInfo(registry: Registry): void {
  const gauge = new Gauge({
    name: "muster_build_info",
    help: "Always 1; the labels are the version of Muster, the commit that it was built from, and the version of Node.js.",
    labelNames: ["version", "commit", "node"],
    registers: [registry],
  });
  gauge.set({ ...buildInfo, node: process.versions.node }, 1);
}
