import { access } from "./decided/access.ts";
import { errors } from "./decided/errors.ts";
import { escalation } from "./decided/escalation.ts";
import { fields } from "./decided/fields.ts";
import { filters } from "./decided/filters.ts";
import { identities } from "./decided/identities.ts";
import { incomingTokens } from "./decided/incoming-tokens.ts";
import { masks } from "./decided/masks.ts";
import { methods } from "./decided/methods.ts";
import { paging } from "./decided/paging.ts";
import { permissions } from "./decided/permissions.ts";
import { refreshTokens } from "./decided/refresh-tokens.ts";
import { signingKeys } from "./decided/signing-keys.ts";
import { tokenExchange } from "./decided/token-exchange.ts";
import { uids } from "./decided/uids.ts";
import type { Chapter } from "../sentence.ts";

/** What the contract leaves open, as this project decided it. */
export const decided: readonly Chapter[] = [
  uids,
  methods,
  masks,
  fields,
  identities,
  filters,
  paging,
  errors,
  access,
  permissions,
  escalation,
  tokenExchange,
  incomingTokens,
  refreshTokens,
  signingKeys,
];
