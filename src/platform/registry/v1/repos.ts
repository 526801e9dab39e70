import { create } from "@bufbuild/protobuf";
import { withEveryField } from "../../contract/every-field.ts";
import { repos } from "../../collections/repos.ts";
import {
  CatalogTier,
  Registry,
  type Repo,
  RepoListSchema,
  RepoSchema,
} from "../../gen/muster/platform/registry/repos_pb.ts";
import {
  CatalogTier as CurrentTier,
  type Repo as CurrentRepo,
} from "../../gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { listAll } from "../../handlers/list-all.ts";
import { withRest } from "../../service/rest-of-list.ts";
import { implement, type Service } from "../../service/service.ts";
import type { Transaction, Transactions } from "../../service/transaction.ts";

/** The v1 API of repos. */
export function v1RegistryService(transactions: Transactions): Service {
  return implement(Registry, {
    listRepos: async (filter, call) => {
      const v1 = (_: Transaction, found: CurrentRepo[]) => found.map(v1Repo);
      const { items, rest } = await listAll(transactions, call, repos, { filter, v1 });
      return withRest(create(RepoListSchema, { items }), rest);
    },
  });
}

/** The tiers have other numbers in v1. */
const v1Tiers: Readonly<Record<CurrentTier, CatalogTier>> = {
  [CurrentTier.UNSPECIFIED]: CatalogTier.UNKNOWN,
  [CurrentTier.APPLICATION]: CatalogTier.APPLICATION,
  [CurrentTier.BASE]: CatalogTier.BASE,
  [CurrentTier.FIPS]: CatalogTier.FIPS,
  [CurrentTier.AI]: CatalogTier.AI,
  [CurrentTier.DEVTOOLS]: CatalogTier.DEVTOOLS,
  [CurrentTier.COMMERCIAL]: CatalogTier.COMMERCIAL,
};

/** The v1 form of a repo, which has no update time. */
function v1Repo({ uid, name, description, bundles, aliases, activeTags, ...repo }: CurrentRepo): Repo {
  const catalogTier = v1Tiers[repo.catalogTier] ?? CatalogTier.UNKNOWN;
  return withEveryField(RepoSchema, {
    id: uid,
    name,
    description,
    catalogTier,
    bundles,
    aliases,
    activeTags,
    createTime: repo.createTime,
  });
}
