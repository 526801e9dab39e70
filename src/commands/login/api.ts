import { once } from "node:events";
import { type CommandContext, defineCommand } from "#src/commands/command.ts";
import { jsonText } from "#src/commands/output/json.ts";
import { outputSetting, recordFormat } from "#src/commands/output/output-format.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { readStream, readText } from "#src/files/read-text.ts";
import { parseJson, parseJsonObject } from "#src/json/parse-json.ts";
import { apiCall, type Field, parseField } from "./api-request.ts";
import { withExitCode } from "./exit-code.ts";
import { pagesOf } from "./list-pages.ts";
import { type PlatformAccess, PlatformApi } from "./platform-api.ts";
import { platformAccessSettings } from "./settings.ts";
import { httpOptions, openStoredLogin } from "./stored-login.ts";
import { readTokenFile } from "./token-file.ts";

const field: settings.ValueType<Field> = { placeholder: "NAME=VALUE", commas: true, parse: parseField };

const commandSettings = {
  method: settings.operand(
    { ...settings.oneOf("GET", "POST", "PATCH", "PUT", "DELETE"), placeholder: "METHOD" },
    "The HTTP method: GET, POST, PATCH, PUT or DELETE.",
  ),
  path: settings.operand(
    { ...settings.text, placeholder: "PATH" },
    "The path below the platform's base URL, such as /iam/v2beta1/groups, with a query or without.",
  ),
  field: {
    ...settings.flagOnly(
      settings.optionalList(
        field,
        "A parameter of the query (GET, DELETE) or a member of the body: NAME=TEXT, or NAME:=JSON for a number, a list or another value. A dot leads into an object: claimMatch.subject=alice.",
      ),
    ),
    short: "f",
  },
  data: settings.flagOnly(
    settings.optional(
      { ...settings.file, placeholder: "JSON|@FILE" },
      "The body: JSON, @FILE for the content of a file, or @- for standard input.",
    ),
  ),
  paginate: settings.toggle("With GET of a list: read all pages, and print each resource as a record of its own."),
  output: outputSetting(["json", "yaml"], "json"),
  timeout: settings.withDefault(settings.duration, "60s", "The time limit of each call."),
  ...platformAccessSettings,
};

export default defineCommand({
  summary: "call the API of a platform with your login or a token, and print the response",
  description: `For scripts, and for calls that no other command makes:
  muster api GET /iam/v2beta1/groups --paginate
  muster api POST /iam/v2beta1/groups/UID -f name=shop
  muster api PUT /iam/v1/groups/UID --data @group.json
The exit code says why a call failed: see "muster help exit-codes". The API's own document is at /openapi.json of the platform.`,
  settings: commandSettings,
  run: (values, context) =>
    withExitCode(async () => {
      const { method, path, field: fields, paginate, output } = values;
      if (paginate && method !== "GET") throw new settings.SettingsError(["--paginate is for GET"]);
      const data = await dataOf(values.data, context);
      const access = await accessOf(values, context);
      const call = apiCall({ method, path, fields, data }, access.platform);
      const { signal } = context;
      const api = new PlatformApi(access, { deadlineMs: values.timeout, signal });
      const { format } = await recordFormat<object>(output, []);
      if (paginate) {
        const read = async (page: string) => parseJsonObject(await api.call({ method, path: page }));
        for await (const items of pagesOf(read, call.path))
          for (const item of items) await write(format(item), context);
        return;
      }
      const text = await api.call(call);
      await write(await printed(text, output), context);
    }),
});

/** Far more than a platform accepts: ours accepts 1 MiB. */
const maxBodyBytes = 64 * 2 ** 20;

async function accessOf(
  { platformCa, platformUrl, tokenFile }: settings.Values<typeof platformAccessSettings>,
  context: CommandContext,
): Promise<PlatformAccess> {
  if (tokenFile === undefined) return openStoredLogin({ platformCa, platformUrl }, context);
  const { platform, token } = await readTokenFile(tokenFile, platformUrl);
  const session = { tokens: async () => ({ accessToken: token }) };
  return { platform, session, http: await httpOptions(platformCa, context) };
}

async function printed(text: string, output: "json" | "yaml"): Promise<string> {
  if (text.trim() === "") return "";
  const value = parseJson(text);
  if (value === undefined) return text;
  if (output === "json") return `${jsonText(value, 2)}\n`;
  return (await import("#src/commands/output/yaml.ts")).stringify(value);
}

async function write(text: string, { signal, stdout }: CommandContext): Promise<void> {
  if (!stdout.write(text)) await once(stdout, "drain", { signal });
}

/** @throws {SettingsError} if it is not JSON */
async function dataOf(data: string | undefined, context: CommandContext): Promise<string | undefined> {
  if (data === undefined) return undefined;
  const text = data.startsWith("@") ? await contentOf(data.slice(1), context) : data;
  if (parseJson(text) === undefined)
    throw new settings.SettingsError([`--data: ${data.startsWith("@") ? data : "the text"} is not JSON`]);
  return text;
}

async function contentOf(path: string, { signal, stdin }: CommandContext): Promise<string> {
  const limits = { maxBytes: maxBodyBytes, signal };
  try {
    return await (path === "-" ? readStream(stdin, limits) : readText(path, limits));
  } catch (error) {
    throw settings.readError("--data", path === "-" ? "standard input" : path, error);
  }
}
