import { create } from "@bufbuild/protobuf";
import { repos } from "../../collections/repos.ts";
import { RepoListSchema, Repos } from "../../gen/muster/platform/registry/repos_pb.ts";
import { listAll } from "../../handlers/list-all.ts";
import { implement, type Service } from "../../service/service.ts";
import type { Sessions } from "../../service/session.ts";

/** The v1 API of repos. */
export function v1ReposService(sessions: Sessions): Service {
  return implement(Repos, {
    list: (filter, call) =>
      sessions.read(call, async (session) => {
        const items = await listAll(session, repos, filter);
        return create(RepoListSchema, { items: items.map(({ uid, name }) => ({ id: uid, name })) });
      }),
  });
}
