import { access } from "./decided/access.ts";
import { accountAssociations } from "./decided/account-associations.ts";
import { advisories } from "./decided/advisories.ts";
import { advisoryFilters } from "./decided/advisory-filters.ts";
import { auditRecords } from "./decided/audit-records.ts";
import { batches } from "./decided/batches.ts";
import { roleCapabilities } from "./decided/capabilities.ts";
import { deletions } from "./decided/deletions.ts";
import { endedTokens } from "./decided/ended-tokens.ts";
import { errors } from "./decided/errors.ts";
import { escalation } from "./decided/escalation.ts";
import { fields } from "./decided/fields.ts";
import { filters } from "./decided/filters.ts";
import { groupInvites } from "./decided/group-invites.ts";
import { grpc } from "./decided/grpc.ts";
import { hosting } from "./decided/hosting.ts";
import { identities } from "./decided/identities.ts";
import { identityLookup } from "./decided/identity-lookup.ts";
import { identityProviders } from "./decided/identity-providers.ts";
import { subjectTokens } from "./decided/subject-tokens.ts";
import { login } from "./decided/login.ts";
import { masks } from "./decided/masks.ts";
import { methods } from "./decided/methods.ts";
import { paging } from "./decided/paging.ts";
import { permissions } from "./decided/permissions.ts";
import { reflection } from "./decided/reflection.ts";
import { refreshTokens } from "./decided/refresh-tokens.ts";
import { repos } from "./decided/repos.ts";
import { resourceLimits } from "./decided/resource-limits.ts";
import { signingKeys } from "./decided/signing-keys.ts";
import { sizes } from "./decided/sizes.ts";
import { tags } from "./decided/tags.ts";
import { tokenExchange } from "./decided/token-exchange.ts";
import { uids } from "./decided/uids.ts";
import { v1Groups } from "./decided/v1-groups.ts";
import { v1 } from "./decided/v1.ts";
import { wireNumbers } from "./decided/wire-numbers.ts";
import type { Section } from "../requirement.ts";

/** What the contract leaves open, as this project decided it. */
export const decided: readonly Section[] = [
  uids,
  methods,
  masks,
  fields,
  identities,
  filters,
  roleCapabilities,
  batches,
  identityLookup,
  identityProviders,
  accountAssociations,
  groupInvites,
  repos,
  tags,
  advisories,
  advisoryFilters,
  paging,
  sizes,
  resourceLimits,
  errors,
  deletions,
  access,
  endedTokens,
  permissions,
  escalation,
  tokenExchange,
  subjectTokens,
  refreshTokens,
  signingKeys,
  login,
  auditRecords,
  grpc,
  reflection,
  wireNumbers,
  hosting,
  v1,
  v1Groups,
];
