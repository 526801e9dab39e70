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
import { listStored } from "../handlers/list-page.ts";
import { permittedParent, permittedResource } from "../handlers/permitted.ts";
import { checkUniqueName } from "../handlers/unique-name.ts";
import { nameIs } from "../resources/row-condition.ts";
import { implement, type Service } from "../service/service.ts";
import type { Transactions } from "../service/transaction.ts";
import { checkRepo } from "./registry-rules.ts";
import { hasTags } from "./tag-rows.ts";

export function reposService(transactions: Transactions): Service {
  return implement(ReposService, {
    listRepos: (request, call) =>
      transactions.read(call, (transaction) =>
        listStored(transaction, repos, ListReposResponseSchema, {
          schema: ListReposRequestSchema,
          request,
          conditions: nameIs(request.name ?? ""),
        }),
      ),

    getRepo: ({ uid }, call) =>
      transactions.read(call, (transaction) => permittedResource(transaction, repos, Capability.CAP_REPO_LIST, uid)),

    createRepo: ({ parent, repo = create(RepoSchema) }, call) =>
      transactions.write(call, async (transaction) => {
        await permittedParent(transaction, Capability.CAP_REPO_CREATE, parent);
        const time = timestampFromMs(transaction.now);
        const created = newResource(RepoSchema, repo, { uid: newUidIn(parent), createTime: time, updateTime: time });
        checkRepo(created);
        await checkUniqueName(transaction, repos, created.uid, created.name);
        await repos.insert(transaction.tx, created);
        return created;
      }),

    updateRepo: ({ repo = create(RepoSchema), updateMask }, call) =>
      transactions.write(call, async (transaction) => {
        const current = await permittedResource(transaction, repos, Capability.CAP_REPO_UPDATE, repo.uid);
        const updated = applyMask(RepoSchema, current, repo, readMask(RepoSchema, updateMask?.paths ?? [], repo));
        checkRepo(updated);
        if (updated.name !== current.name) await checkUniqueName(transaction, repos, updated.uid, updated.name);
        updated.updateTime = timestampFromMs(transaction.now);
        await repos.update(transaction.tx, updated);
        return updated;
      }),

    deleteRepo: ({ uid }, call) =>
      transactions.write(call, async (transaction) => {
        await permittedResource(transaction, repos, Capability.CAP_REPO_DELETE, uid);
        if (await hasTags(transaction.tx, uid))
          throw failedPrecondition("RESOURCE_NOT_EMPTY", "cannot delete repo with child tags");
        await repos.delete(transaction.tx, uid);
        return create(EmptySchema);
      }),
  });
}
