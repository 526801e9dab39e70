import { Capability } from "../authorization/capability.ts";
import { TagSchema } from "../gen/muster/platform/registry/v2beta1/tag_pb.ts";
import { byUid, Collection } from "../resources/collection.ts";
import { repos } from "./repos.ts";
import { formOfTag } from "./tag-form.ts";

export const tags = new Collection({
  schema: TagSchema,
  table: "tags",
  type: "tag",
  types: "tags",
  parent: repos,
  listCapability: Capability.CAP_TAG_LIST,
  sortable: ["uid", "name", "create_time", "update_time"],
  defaultOrder: byUid,
  columns: {
    digest: ({ digest }) => digest,
    form: ({ name }) => formOfTag(name),
  },
  partitionOf: ({ name }) => {
    const form = formOfTag(name);
    return form === 0 ? undefined : String(form);
  },
});
