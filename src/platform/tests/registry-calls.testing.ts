import type { Client, Json, RunningPlatform } from "./running-platform.testing.ts";

export const repoPath = (uid: string) => `/registry/v2beta1/repos/${uid}`;
export const tagPath = (uid: string) => `/registry/v2beta1/tags/${uid}`;
/** A digest for a number. */
export const digest = (n: number) => `sha256:${n.toString(16).padStart(64, "0")}`;
/** The response to a caller that can see the resource but lacks the capability. */
export const denied = { status: 403, body: { code: 7, details: [{ reason: "PERMISSION_DENIED" }] } };
/** The response to a caller that cannot see the resource. */
export const hidden = { status: 404, body: { code: 5 } };

/** Creates repos and tags as the admin, by default in the group `team`. */
export class Registry {
  readonly platform: RunningPlatform;
  readonly team: string;
  readonly other: string;

  private constructor(platform: RunningPlatform, team: string, other: string) {
    this.platform = platform;
    this.team = team;
    this.other = other;
  }

  static async on(platform: RunningPlatform): Promise<Registry> {
    const group = (name: string) => platform.admin.group(platform.root, name);
    return new Registry(platform, await group("team"), await group("other"));
  }

  /** Creates a repo. @returns its uid */
  makeRepo = async (group = this.team, name = "nginx"): Promise<string> =>
    (await this.platform.admin.ok("POST", repoPath(group), { name })).uid;

  makeTag = (repo: string, name: string, n = 1): Promise<Json> =>
    this.platform.admin.ok("POST", tagPath(repo), { name, digest: digest(n) });

  listTags = async (query: string, client: Client = this.platform.admin) =>
    (await client.ok("GET", `/registry/v2beta1/tags?page_size=200&order_by=name&${query}`)) as Json & {
      tags: readonly Json[];
    };
}
