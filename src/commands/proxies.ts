import { Proxies } from "#src/http/proxies.ts";
import type { CommandContext } from "./command.ts";
import { SettingsError } from "./settings/settings.ts";

/** The proxies that the environment names; undefined if there are none. @throws {SettingsError} that names the variable */
export async function readProxies(env: CommandContext["env"]): Promise<Proxies | undefined> {
  try {
    return await Proxies.fromEnvironment(env);
  } catch (error) {
    throw new SettingsError([(error as Error).message]);
  }
}
