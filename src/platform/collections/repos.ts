import { Capability } from "../authorization/capability.ts";
import { RepoSchema } from "../gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { byUid, Collection } from "../resources/collection.ts";

export const repos = new Collection({
  schema: RepoSchema,
  table: "repos",
  type: "repo",
  types: "repos",
  listCapability: Capability.CAP_REPO_LIST,
  sortable: ["uid", "name", "create_time", "update_time"],
  defaultOrder: byUid,
  columns: {},
});
