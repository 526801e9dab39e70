import type { CommandContext } from "#src/commands/command.ts";
import type { PlatformReader } from "#src/commands/reader/connect-reader.ts";

/** The identity whose roles say what the token may list; undefined if they do not. */
export function callerIdentity(
  { claims }: Pick<PlatformReader, "claims">,
  { stderr }: Pick<CommandContext, "stderr">,
): string | undefined {
  if (claims?.identity !== undefined && !claims.isNarrowed) return claims.identity;
  const why =
    claims?.isNarrowed === true
      ? "the token is limited to some groups or capabilities"
      : "the token does not say whose it is";
  stderr.write(
    `muster: warning: ${why}, so nothing that it does not list counts as absent. Use a token without limits.\n`,
  );
  return undefined;
}
