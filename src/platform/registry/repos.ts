import { create } from "@bufbuild/protobuf";
import { EmptySchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Capability } from "../authorization/capability.ts";
import { repos } from "../collections/repos.ts";
import { applyMask, readMask } from "../contract/field-mask.ts";
import { newResource } from "../contract/new-resource.ts";
import { newUidIn } from "../contract/uid.ts";
import { failedPrecondition } from "../errors/api-error.ts";
import {
  ListReposRequestSchema,
  ListReposResponseSchema,
  RepoSchema,
  ReposService,
} from "../gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { listPage } from "../handlers/list-page.ts";
import { permittedParent, permittedResource } from "../handlers/permitted.ts";
import { checkUniqueName } from "../handlers/unique-name.ts";
import { nameIs } from "../resources/row-condition.ts";
import { implement, type Service } from "../service/service.ts";
import type { Sessions } from "../service/session.ts";
import { checkRepo } from "./registry-rules.ts";
import { hasTags } from "./tag-rows.ts";

export function reposService(sessions: Sessions): Service {
  return implement(ReposService, {
    listRepos: (request, call) =>
      sessions.read(call, async (session) => {
        const { items, ...page } = await listPage(session, repos, {
          schema: ListReposRequestSchema,
          request,
          conditions: nameIs(request.name ?? ""),
        });
        return create(ListReposResponseSchema, { repos: items, ...page });
      }),

    getRepo: ({ uid }, call) =>
      sessions.read(call, (session) => permittedResource(session, repos, Capability.CAP_REPO_LIST, uid)),

    createRepo: ({ parent, repo = create(RepoSchema) }, call) =>
      sessions.write(call, async (session) => {
        await permittedParent(session, Capability.CAP_REPO_CREATE, parent);
        const time = timestampFromMs(session.now);
        const created = newResource(RepoSchema, repo, { uid: newUidIn(parent), createTime: time, updateTime: time });
        checkRepo(created);
        await checkUniqueName(session, repos, created.uid, created.name);
        await repos.insert(session.tx, created);
        return created;
      }),

    updateRepo: ({ repo = create(RepoSchema), updateMask }, call) =>
      sessions.write(call, async (session) => {
        const current = await permittedResource(session, repos, Capability.CAP_REPO_UPDATE, repo.uid);
        const updated = applyMask(RepoSchema, current, repo, readMask(RepoSchema, updateMask?.paths ?? [], repo));
        checkRepo(updated);
        if (updated.name !== current.name) await checkUniqueName(session, repos, updated.uid, updated.name);
        updated.updateTime = timestampFromMs(session.now);
        await repos.update(session.tx, updated);
        return updated;
      }),

    deleteRepo: ({ uid }, call) =>
      sessions.write(call, async (session) => {
        await permittedResource(session, repos, Capability.CAP_REPO_DELETE, uid);
        if (await hasTags(session.tx, uid))
          throw failedPrecondition("RESOURCE_NOT_EMPTY", "cannot delete repo with child tags");
        await repos.delete(session.tx, uid);
        return create(EmptySchema);
      }),
  });
}
