import { create } from "@bufbuild/protobuf";
import { repos } from "../../collections/repos.ts";
import { Registry, type Repo, RepoListSchema, RepoSchema } from "../../gen/muster/platform/registry/repos_pb.ts";
import type { Repo as CurrentRepo } from "../../gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { listAll } from "../../handlers/list-all.ts";
import { withRest } from "../../service/rest-of-list.ts";
import { implement, type Service } from "../../service/service.ts";
import type { Session, Sessions } from "../../service/session.ts";

/** The v1 API of repos. */
export function v1RegistryService(sessions: Sessions): Service {
  return implement(Registry, {
    listRepos: async (filter, call) => {
      const v1 = (_: Session, found: CurrentRepo[]) => found.map(v1Repo);
      const { items, rest } = await listAll(sessions, call, repos, { filter, v1 });
      return withRest(create(RepoListSchema, { items }), rest);
    },
  });
}

/** The v1 form of a repo, which has no update time. */
function v1Repo({ uid, name, description, catalogTier, bundles, aliases, activeTags, createTime }: CurrentRepo): Repo {
  const times = createTime === undefined ? {} : { createTime };
  return create(RepoSchema, { id: uid, name, description, catalogTier, bundles, aliases, activeTags, ...times });
}
