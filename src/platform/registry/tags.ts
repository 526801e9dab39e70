import { create } from "@bufbuild/protobuf";
import { EmptySchema, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { Capability } from "../authorization/capability.ts";
import { repos } from "../collections/repos.ts";
import { excludedForms } from "../collections/tag-form.ts";
import { tags } from "../collections/tags.ts";
import { newResource } from "../contract/new-resource.ts";
import { newUidIn } from "../contract/uid.ts";
import {
  ListTagsRequestSchema,
  ListTagsResponseSchema,
  type ListTagsRequest,
  type Tag,
  TagSchema,
  TagsService,
} from "../gen/muster/platform/registry/v2beta1/tag_pb.ts";
import { listStored, type ListSelection } from "../handlers/list-page.ts";
import { permittedResource } from "../handlers/permitted.ts";
import { type Condition, nameIs } from "../resources/row-condition.ts";
import { implement, type Service } from "../service/service.ts";
import type { Transactions, WriteTransaction } from "../service/transaction.ts";
import { checkTag } from "./registry-rules.ts";
import { tagNamed } from "./tag-rows.ts";

export function tagsService(transactions: Transactions): Service {
  return implement(TagsService, {
    listTags: (request, call) =>
      transactions.read(call, (transaction) =>
        listStored(transaction, tags, ListTagsResponseSchema, {
          schema: ListTagsRequestSchema,
          request,
          ...selectionOf(request),
        }),
      ),

    getTag: ({ uid }, call) =>
      transactions.read(call, (transaction) => permittedResource(transaction, tags, Capability.CAP_TAG_LIST, uid)),

    createTag: ({ parent, tag = create(TagSchema) }, call) =>
      transactions.write(call, (transaction) => putTag(transaction, parent, tag)),

    deleteTag: ({ uid }, call) =>
      transactions.write(call, async (transaction) => {
        await permittedResource(transaction, tags, Capability.CAP_TAG_DELETE, uid);
        await tags.delete(transaction.tx, uid);
        return create(EmptySchema);
      }),
  });
}

/** Creates a tag, or moves the tag of this name to another digest. Names are unique in a repo. */
async function putTag(transaction: WriteTransaction, repo: string, tag: Tag): Promise<Tag> {
  const { CAP_TAG_CREATE: toCreate, CAP_TAG_UPDATE: toUpdate } = Capability;
  // Before the tag is read, so that the error does not show a caller with neither capability whether it exists.
  await permittedResource(transaction, repos, transaction.access.can(toUpdate, repo) ? toUpdate : toCreate, repo);
  const current = await tagNamed(transaction.tx, repo, tag.name);
  transaction.access.require(current === undefined ? toCreate : toUpdate, repo, "repo");
  const updateTime = timestampFromMs(transaction.now);
  const createTime = current?.createTime ?? updateTime;
  const put = newResource(TagSchema, tag, { uid: current?.uid ?? newUidIn(repo), createTime, updateTime });
  checkTag(put);
  await (current === undefined ? tags.insert(transaction.tx, put) : tags.update(transaction.tx, put));
  return put;
}

function selectionOf(request: ListTagsRequest): ListSelection<"tags"> {
  const conditions: Condition<"tags">[] = nameIs(request.name);
  if (request.digest !== "") conditions.push((row) => row("digest", "=", request.digest));
  if (request.updatedSince !== undefined) {
    const since = timestampMs(request.updatedSince);
    conditions.push((row) => row("update_time", ">=", since));
  }
  const excluded = excludedForms({
    referrers: request.includeReferrers,
    dates: request.includeDates,
    epochs: request.includeEpochs,
  });
  if (excluded.length === 0) return { conditions };
  return {
    conditions,
    excluded: { partitions: excluded.map(String), others: (row) => row("form", "not in", excluded) },
  };
}
