import type { Reporter, TestModule } from "vitest/node";
import { costsVariable, type FileCost } from "./file-cost.ts";

interface NamedCost extends FileCost {
  readonly name: string;
}

/** Prints which test files cost the most CPU time, and what each project costs. */
export default class CostReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const projects = new Map<string, { cpu: number; wall: number; files: number }>();
    const files: NamedCost[] = [];
    for (const module of modules) {
      const { cost } = module.meta();
      if (cost === undefined) continue;
      const { name } = module.project;
      const { cpu, wall, files: count } = projects.get(name) ?? { cpu: 0, wall: 0, files: 0 };
      projects.set(name, { cpu: cpu + cost.cpu, wall: wall + cost.wall, files: count + 1 });
      files.push({ ...cost, name: `${name} ${module.relativeModuleId}` });
    }
    const dearest = files.toSorted((a, b) => b.cpu - a.cpu).slice(0, Number(process.env[costsVariable]));
    print(dearest);
    print([...projects].map(([name, { files: count, ...cost }]) => ({ ...cost, name: `${name} (${count} files)` })));
  }
}

function print(costs: readonly NamedCost[]): void {
  const lines = costs.map(
    ({ cpu, wall, name }) => `${cpu.toFixed(1).padStart(9)} ${wall.toFixed(1).padStart(9)}  ${name}`,
  );
  process.stdout.write(["    CPU s    wall s  test file", ...lines, ""].join("\n"));
}
