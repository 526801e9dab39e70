import { clone, create, equals, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { AuthoredWriter } from "#src/platform/audit/authored-writer.ts";
import { groups } from "#src/platform/collections/groups.ts";
import { repos } from "#src/platform/collections/repos.ts";
import { tags } from "#src/platform/collections/tags.ts";
import { isUid, newUidIn } from "#src/platform/contract/uid.ts";
import { type Repo, RepoSchema } from "#src/platform/gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { type Tag, TagSchema } from "#src/platform/gen/muster/platform/registry/v2beta1/tag_pb.ts";
import {
  type Advisory,
  AdvisorySchema,
} from "#src/platform/gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import { reposNamed } from "#src/platform/registry/repo-rows.ts";
import { tagNamed } from "#src/platform/registry/tag-rows.ts";
import { eventUidIn, putAdvisory, sameAdvisory } from "#src/platform/vulnerabilities/advisory-rows.ts";
import { FieldError } from "./load-error.ts";
import type { LoadRecord } from "./record.ts";

/** How a record changed the database. */
export type Change = "created" | "updated" | "unchanged";

/** The size of the caches of groups and repos. */
const maximumCached = 10_000;

/**
 * Creates or replaces the resources of records. An existing repo is found by its name in the group, a tag by its name in
 * the repo, and an advisory by its id, artifact and component. Fields that a record does not set are reset. A record that
 * changes nothing does not change the update time either, so that loading is idempotent.
 */
export class RecordWriter {
  readonly #tx: AuthoredWriter;
  readonly #defaultGroup: string;
  readonly #now: Timestamp;
  readonly #groups = new Set<string>();
  readonly #repos = new Map<string, string>();

  constructor(tx: AuthoredWriter, defaultGroup: string) {
    this.#tx = tx;
    this.#defaultGroup = defaultGroup;
    this.#now = timestampFromMs(tx.now);
  }

  /** @throws FieldError if a group or a repo does not exist, or a name is ambiguous */
  async write(record: LoadRecord): Promise<Change> {
    const group = await this.#groupOf(record);
    switch (record.kind) {
      case "Repo":
        return this.#putRepo(group, record.repo);
      case "Tag":
        return this.#putTag(await this.#repoOf(group, record.in), record.tag);
      case "Advisory":
        return this.#putAdvisory(group, record.advisory);
    }
  }

  async #groupOf({ group = this.#defaultGroup }: LoadRecord): Promise<string> {
    if (this.#groups.has(group)) return group;
    if ((await groups.find(this.#tx, group)) === undefined)
      throw new FieldError("group", `group "${group}" does not exist`);
    if (this.#groups.size >= maximumCached) this.#groups.clear();
    this.#groups.add(group);
    return group;
  }

  async #repoOf(group: string, name: string): Promise<string> {
    if (isUid(name)) {
      if ((await repos.find(this.#tx, name)) === undefined)
        throw new FieldError("repo", `repo "${name}" does not exist`);
      return name;
    }
    const key = `${group}/${name}`;
    const known = this.#repos.get(key);
    if (known !== undefined) return known;
    const found = await this.#onlyRepo(group, name, "repo");
    if (found === undefined) throw new FieldError("repo", `repo "${name}" does not exist in group "${group}"`);
    if (this.#repos.size >= maximumCached) this.#repos.clear();
    this.#repos.set(key, found.uid);
    return found.uid;
  }

  async #onlyRepo(group: string, name: string, field: string): Promise<Repo | undefined> {
    const [found, another] = await reposNamed(this.#tx, group, name);
    if (another !== undefined)
      throw new FieldError(field, `group "${group}" has more than one repo "${name}"; rename one of them first`);
    return found;
  }

  async #putRepo(group: string, given: Repo): Promise<Change> {
    const before = await this.#onlyRepo(group, given.name, "name");
    const repo = this.#stamped(RepoSchema, given, before, group);
    if (before !== undefined && isSame(RepoSchema, before, repo)) return "unchanged";
    await (before === undefined ? repos.insert(this.#tx, repo) : repos.update(this.#tx, repo));
    return before === undefined ? "created" : "updated";
  }

  async #putTag(repo: string, given: Tag): Promise<Change> {
    const before = await tagNamed(this.#tx, repo, given.name);
    const tag = this.#stamped(TagSchema, given, before, repo);
    if (before !== undefined && isSame(TagSchema, before, tag)) return "unchanged";
    await (before === undefined ? tags.insert(this.#tx, tag) : tags.update(this.#tx, tag));
    return before === undefined ? "created" : "updated";
  }

  async #putAdvisory(group: string, given: Advisory): Promise<Change> {
    const before = await sameAdvisory(this.#tx, group, given);
    const advisory = this.#stamped(AdvisorySchema, given, before, group);
    advisory.createTime = given.createTime ?? advisory.createTime;
    for (const event of advisory.events) {
      event.uid = eventUidIn(advisory.uid, event);
      event.createTime ??= advisory.createTime;
    }
    if (before !== undefined && isSame(AdvisorySchema, before, advisory)) return "unchanged";
    advisory.updateTime = given.updateTime ?? this.#now;
    await putAdvisory(this.#tx, advisory, before);
    return before === undefined ? "created" : "updated";
  }

  /** The resource as it is stored, with the uid and create time of the existing one. */
  #stamped<D extends DescMessage>(
    desc: D,
    given: MessageShape<D>,
    before: { readonly uid: string; readonly createTime?: Timestamp | undefined } | undefined,
    parent: string,
  ): MessageShape<D> {
    const uid = before?.uid ?? newUidIn(parent);
    const createTime = before?.createTime ?? this.#now;
    return Object.assign(clone(desc, given), { uid, createTime, updateTime: this.#now });
  }
}

/** Whether two resources differ at most in their update time. */
function isSame<D extends DescMessage>(desc: D, a: MessageShape<D>, b: MessageShape<D>): boolean {
  const timeless = (message: MessageShape<D>) => create(desc, { ...message, updateTime: undefined } as never);
  return equals(desc, timeless(a), timeless(b));
}
