import type { CommandContext } from "#src/commands/command.ts";
import type { PlatformReader } from "#src/commands/reader/connect-reader.ts";
import type { Caller } from "#src/plan/proven-reads.ts";

/** Whose permissions say what the token lists; undefined, with a warning, if that is not known. */
export function callerOf(
  { claims, seesEverything }: Pick<PlatformReader, "claims" | "seesEverything">,
  { stderr }: Pick<CommandContext, "stderr">,
): Caller {
  if (seesEverything) return "administrator";
  if (claims?.identity !== undefined && !claims.isNarrowed) return { identity: claims.identity };
  const why =
    claims?.isNarrowed === true
      ? "the token is limited to some groups or capabilities"
      : "the token does not say whose it is";
  stderr.write(
    `muster: warning: ${why}, so nothing that it does not list counts as absent. Use a token without limits.\n`,
  );
  return undefined;
}
