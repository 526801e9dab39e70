import type { DescField } from "@bufbuild/protobuf";
import { sizeLimits } from "../limits/size-limits.ts";

/** How large the value of a field may be in a request. */
export interface FieldLimits {
  /** Characters of a text; of each item of a list, and of each value of a map. */
  readonly textLength: number;
  /** Characters of each key of a map. */
  readonly keyLength: number;
  /** Distinct items of a list. */
  readonly items: number;
  /** Entries of a map. */
  readonly entries: number;
}

const general: FieldLimits = {
  textLength: sizeLimits.text.value,
  keyLength: sizeLimits.mapKey.value,
  items: sizeLimits.list.value,
  entries: sizeLimits.map.value,
};

const scopes = { items: sizeLimits.scopes.value };

/** The fields with lower limits, by the name of the message and that of the field. */
const lower: Readonly<Record<string, Partial<FieldLimits>>> = {
  "muster.platform.oidc.ExchangeRequest.aud": scopes,
  "muster.platform.oidc.ExchangeRequest.cap": scopes,
  "muster.platform.oidc.ExchangeRequest.scopes": scopes,
  "muster.platform.oidc.ExchangeRefreshTokenRequest.aud": scopes,
  "muster.platform.oidc.ExchangeRefreshTokenRequest.cap": scopes,
  "muster.platform.oidc.ExchangeRefreshTokenRequest.scopes": scopes,
  "muster.platform.iam.v2beta1.BatchCreateRoleBindingsRequest.requests": { items: sizeLimits.batch.value },
  // As long as an e-mail address.
  "muster.platform.iam.v2beta1.ListIdentitiesRequest.person": { textLength: 254 },
  "muster.platform.iam.v2beta1.Identity.StaticKeys.audiences": { items: 1 },
};

export function limitsOf(field: DescField): FieldLimits {
  const own = lower[`${field.parent.typeName}.${field.name}`];
  return own === undefined ? general : { ...general, ...own };
}
