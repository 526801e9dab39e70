import type { Resource } from "#src/api/custom-resource.ts";
import type { Note } from "#src/commands/output/note.ts";
import { readFix } from "#src/commands/reader/read-failure.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import { isRejection, PlatformFailure } from "#src/platform-client/failure.ts";
import { groups } from "#src/platform-client/permission-resources.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import type { Link } from "./link.ts";

/** The platform as the caller sees it, or why nothing can be read of it. */
export type PlatformView =
  | { readonly api: ReadApi; readonly url: URL }
  | { readonly unread: string; readonly fix: Note };

/** What an object is on the platform, or whether the platform responds if it is not there yet. */
export async function platformLink(
  platform: PlatformView,
  kind: Kind,
  { status }: Resource,
  signal: AbortSignal,
): Promise<Link> {
  const uid = status?.uid;
  const base = { link: "platform", subject: uid === undefined ? "the platform" : `${kind.noun} ${oneLine(uid)}` };
  if ("unread" in platform)
    return {
      ...base,
      state: "unknown",
      message: `The platform was not read: ${oneLine(platform.unread)}`,
      fix: platform.fix,
    };
  const from = `at ${platform.url.href.replace(/\/$/, "")}`;
  try {
    if (uid === undefined) {
      await platform.api.list(groups, { filter: { page_size: "1" } }, signal);
      return { ...base, state: "ok", message: `It responds to you ${from}.` };
    }
    const found = await platform.api.get(kind.collection, uid, signal);
    const name = kind.collection.nameOf(found);
    const named = name === undefined ? `The ${kind.noun}` : `The ${kind.noun} ${oneLine(name)}`;
    return { ...base, state: "ok", message: `${named} exists ${from}.` };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    const message = oneLine(error.message);
    if (isRejection(error, "NOT_FOUND") || isRejection(error, "PERMISSION_DENIED"))
      return {
        ...base,
        state: "unknown",
        message: `You cannot read it ${from} (${message}): it is gone, or you lack the permission.`,
        fix: readFix(error),
      };
    return { ...base, state: "unknown", message: `Nothing could be read ${from}: ${message}`, fix: readFix(error) };
  }
}
