import { type CommandContext, CommandFailure } from "#src/commands/command.ts";
import { formatPlan, type ShownPlan, summaryOf } from "./format-plan.ts";
import type { PlanValues } from "./settings.ts";

const exitCodes = { changes: 2, refused: 3 } as const;

/**
 * Prints a plan.
 * @throws {CommandFailure} unless there is nothing to do: 2 if something would change, 3 if something is refused or not seen
 */
export async function reportPlan(
  plan: ShownPlan,
  format: PlanValues["output"],
  { stdout }: Pick<CommandContext, "stdout">,
): Promise<void> {
  stdout.write(await formatPlan(plan, format));
  if (plan.refusals.length + plan.unproven.length > 0) throw new CommandFailure(summaryOf(plan), exitCodes.refused);
  if (plan.changes.length > 0) throw new CommandFailure(summaryOf(plan), exitCodes.changes);
}
