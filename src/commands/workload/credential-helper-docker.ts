import { type CommandContext, defineCommand } from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { readStream } from "#src/files/read-text.ts";
import { dockerVerbs, respondToDocker } from "#src/workload/docker-credentials.ts";
import { TokenFiles } from "#src/workload/token-files.ts";
import { exchangeOnce } from "./exchange.ts";
import { optionalExchangeSettings, registries } from "./settings.ts";

const helperSettings = {
  verb: settings.operand(
    { ...settings.oneOf(...dockerVerbs), placeholder: "VERB" },
    `What docker asks for: ${dockerVerbs.join(", ")}.`,
  ),
  ...registries,
  tokenFile: settings.optional(
    settings.file,
    "File with the token, as an agent writes it. (default: exchange the workload's own token)",
  ),
  ...optionalExchangeSettings,
};

export default defineCommand({
  summary: "give docker the platform's token for its registries",
  description: `Docker runs docker-credential-muster, which is installed next to muster, for the registries that
~/.docker/config.json names:
  {"credHelpers": {"registry.example.com": "muster"}}`,
  settings: helperSettings,
  run: async (values, context) => {
    const { registry, username, verb } = values;
    try {
      const input = verb === "get" ? await readStream(context.stdin, { signal: context.signal }) : "";
      const token = () => currentToken(values, context);
      context.stdout.write(await respondToDocker({ verb, input }, { registries: registry, username, token }));
    } catch (error) {
      // Docker reads the message of a failure from standard output.
      context.stdout.write(`${(error as Error).message}\n`);
      throw error;
    }
  },
});

async function currentToken(
  { tokenFile, identity, authUrl, apiAudience, ...rest }: settings.Values<typeof helperSettings>,
  context: CommandContext,
): Promise<string> {
  if (tokenFile !== undefined) {
    const token = new TokenFiles(tokenFile).readToken();
    if (token === undefined) throw new Error(`--token-file: there is no token in ${tokenFile} yet`);
    return token;
  }
  if (identity === undefined || authUrl === undefined || apiAudience === undefined)
    throw new Error(
      "there is no token: set --token-file to the file of an agent, or --identity, --auth-url and --api-audience to exchange the workload's own token",
    );
  return (await exchangeOnce({ ...rest, identity, authUrl }, apiAudience, context)).value;
}
