import { authentication } from "./contract/authentication.ts";
import { common } from "./contract/common.ts";
import { errors } from "./contract/errors.ts";
import { groups } from "./contract/groups.ts";
import { identities } from "./contract/identities.ts";
import { limits } from "./contract/limits.ts";
import { listEnvelope } from "./contract/list-envelope.ts";
import { list } from "./contract/list.ts";
import { operations } from "./contract/operations.ts";
import { registry } from "./contract/registry.ts";
import { roleBindings } from "./contract/role-bindings.ts";
import { roles } from "./contract/roles.ts";
import { service } from "./contract/service.ts";
import { tokenExchange } from "./contract/token-exchange.ts";
import { update } from "./contract/update.ts";
import { v1 } from "./contract/v1.ts";
import { versioning } from "./contract/versioning.ts";
import type { Section } from "../requirement.ts";

/** What the contract says, section by section. */
export const contract: readonly Section[] = [
  service,
  common,
  listEnvelope,
  groups,
  identities,
  roles,
  roleBindings,
  registry,
  list,
  update,
  operations,
  tokenExchange,
  v1,
  authentication,
  errors,
  limits,
  versioning,
];
