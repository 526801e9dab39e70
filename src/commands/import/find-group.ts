import { groupNamed } from "#src/commands/access/named.ts";
import { listStable } from "#src/commands/reader/list-stable.ts";
import { groupKind } from "#src/kinds/group.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import { uidPattern } from "#src/platform-client/uid.ts";

/**
 * The uid of the group that a text means: its uid, or the name or path of one that the caller can read. A uid is not looked up.
 * @throws {Error} that lists the candidates, if there is not exactly one. @throws {PlatformFailure}
 */
export async function findGroup(api: ReadApi, text: string, signal: AbortSignal): Promise<string> {
  if (uidPattern.test(text)) return text;
  const groups = await listStable(api, groupKind.collection, {}, signal);
  return groupNamed({ groups: new Map(groups.map((group) => [group.uid, group])) }, text);
}
