import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Target } from "#test/node/try-out.ts";

const run = promisify(execFile);

/**
 * Runs kubectl in the root of the repository, on the cluster of a test.
 * @param input its standard input
 * @returns its standard output
 * @throws {Error} whose message contains its standard error
 */
export async function kubectl(
  { kubectlFlags }: Pick<Target, "kubectlFlags">,
  args: readonly string[],
  { input = "" }: { readonly input?: string } = {},
): Promise<string> {
  const command = run("kubectl", [...kubectlFlags, ...args], { maxBuffer: 2 ** 26 });
  command.child.stdin?.end(input);
  return (await command).stdout;
}
