import { afterAll, beforeAll, describe } from "vitest";
import { baseImagesAreBuilt } from "#test/node/images.ts";
import { allProgramsAreBuilt } from "#test/node/programs.ts";
import { checkRequirements, NodeUnavailable } from "#test/node/requirements.ts";
import type { Target } from "#test/node/try-out.ts";
import { report } from "./report.ts";
import { contextVariable, findTarget, type TestedCluster } from "./target.ts";

/** Undefined if there is an existing cluster, or if this machine can run a node without building for minutes. */
const unavailable = process.env[contextVariable] ? undefined : await missingForNode();

async function missingForNode(): Promise<NodeUnavailable | undefined> {
  try {
    await checkRequirements();
  } catch (error) {
    if (error instanceof NodeUnavailable) return error;
    throw error;
  }
  if ((await allProgramsAreBuilt()) && (await baseImagesAreBuilt())) return undefined;
  return new NodeUnavailable("The node is not built. Run `npm run cluster` once, which takes some minutes.");
}

const elsewhere = process.env[contextVariable] ? new NodeUnavailable("an existing cluster is tested") : undefined;

/** A suite with a cluster to itself, which is skipped, with the reason, where there is none. */
export function describeWithTarget(name: string, tests: (target: () => Target) => void): void {
  describeWithCluster(unavailable, name, tests);
}

/** As `describeWithTarget`, for tests that need what only a node of this machine has, such as the image of PostgreSQL. */
export function describeWithNode(name: string, tests: (target: () => Target) => void): void {
  describeWithCluster(elsewhere ?? unavailable, name, tests);
}

function describeWithCluster(
  missing: NodeUnavailable | undefined,
  name: string,
  tests: (target: () => Target) => void,
): void {
  describeWhere(missing, name, () => {
    let target: TestedCluster | undefined;
    beforeAll(async () => {
      target = await findTarget({ progress: report });
    });
    afterAll(() => target?.stop());
    tests(() => {
      if (target === undefined)
        throw new Error("the cluster exists only while a test runs: call target() inside of it");
      return target;
    });
  });
}

/** A suite about a node of this machine, which is skipped where an existing cluster is tested. */
export function describeOnNode(name: string, tests: () => void): void {
  describeWhere(elsewhere ?? unavailable, name, tests);
}

function describeWhere(missing: NodeUnavailable | undefined, name: string, tests: () => void): void {
  if (missing === undefined) {
    describe(name, tests);
    return;
  }
  report(`SKIPPED "${name}": ${missing.message}`);
  describe.skip(`${name} (skipped: ${missing.message})`, tests);
}
