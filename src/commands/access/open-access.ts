import { type AccessModel, accessModel } from "#src/access/access-model.ts";
import type { CommandContext } from "#src/commands/command.ts";
import { withExitCode } from "#src/commands/login/exit-code.ts";
import { type AnswerFormat, type AnswerText, formatAnswer } from "#src/commands/output/answer-format.ts";
import { connectReader, type PlatformReader } from "#src/commands/reader/connect-reader.ts";
import { requireFewResources } from "#src/commands/reader/object-limit.ts";
import { ReadBudget } from "#src/commands/reader/read-budget.ts";
import { readingCapabilities } from "#src/commands/reader/reading-capabilities.ts";
import { readFailure } from "#src/commands/reader/read-failure.ts";
import { keepHeapSmall } from "#src/commands/reader/small-heap.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { systemClock } from "#src/time/clock.ts";
import { AccessView } from "./access-view.ts";
import { readDeclarations } from "./declarations.ts";
import { accessTypes, readAccessState } from "./read-state.ts";
import type { AccessValues } from "./settings.ts";

/** What was read, for the question of one command, and with what more can be read. */
export interface OpenedAccess extends Pick<PlatformReader, "api" | "claims" | "platformUrl"> {
  readonly model: AccessModel;
  readonly view: AccessView;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Answer {
  /** For programs. */
  readonly value: object;
  readonly text: AnswerText;
}

/**
 * Reads the platform and the cluster, and prints the answer to a question about them.
 * @throws {CommandFailure} if the platform refuses a call, with its exit code
 */
export function answerAccess(
  values: AccessValues & { readonly output: AnswerFormat },
  context: CommandContext,
  answer: (access: OpenedAccess) => Answer | Promise<Answer>,
  capabilities?: readonly string[],
): Promise<void> {
  const textOf = async (access: OpenedAccess) => {
    const { text, value } = await answer(access);
    return formatAnswer(values.output, value, text, context.terminal.tableColumns);
  };
  return printAccess(values, context, textOf, capabilities);
}

/**
 * Reads the platform and the cluster, and prints a text that is made from them.
 * @param capabilities what a token of the operator's identity is limited to, by dotted names
 * @throws {CommandFailure} if the platform refuses a call, with its exit code
 */
export async function printAccess(
  values: AccessValues,
  context: CommandContext,
  textOf: (access: OpenedAccess) => Promise<string>,
  capabilities = readingCapabilities,
): Promise<void> {
  keepHeapSmall();
  await withExitCode(async () => {
    const reader = await connectReader(values, context, capabilities);
    const budget = new ReadBudget("use a token that is limited to some groups, or read no cluster with --no-cluster");
    try {
      const { api, claims, platformUrl } = reader;
      const limit = { ...values, narrow: "use a token that is limited to some groups" };
      const counted = await requireFewResources(api, accessTypes, limit, context.signal);
      const [state, declarations] = await Promise.all([
        readAccessState({ ...reader, api: budget.platform(counted) }, context.signal),
        readDeclarations(kinds, values, context, budget),
      ]);
      const model = accessModel(state);
      const view = new AccessView(model, declarations);
      context.stdout.write(await textOf({ api, claims, platformUrl, model, view, now: systemClock.now() }));
    } catch (error) {
      throw readFailure(error);
    } finally {
      await reader.close();
    }
  });
}
