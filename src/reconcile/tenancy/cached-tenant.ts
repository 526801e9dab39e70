import { parseWithSchema } from "#src/api/schema-mistake.ts";
import { type Tenant, type TenantSpec, tenantSpecSchema } from "#src/api/tenant.ts";
import type { KubeObject, ObjectMeta } from "#src/kube/object.ts";

/** A Tenant as the store caches it: typed, or with the reason why it does not match its schema. */
export interface CachedTenant {
  readonly metadata: ObjectMeta;
  /** Undefined if the Tenant does not match its schema: then it governs nothing. */
  readonly spec: TenantSpec | undefined;
  /** Why it does not match. */
  readonly invalid: string | undefined;
  /** Which operator serves the Tenant. */
  readonly class: string;
  /** The identity that the Tenant names as its credential, also if the rest of the Tenant is invalid. */
  readonly identityUid: string | undefined;
  /** The identities for emergencies that the Tenant lists, also if the rest of the Tenant is invalid. */
  readonly breakGlass: readonly string[];
  readonly status: Tenant["status"];
}

/** Parses a Tenant that the API server sent. The spec of `before` is reused if the generation is the same. */
export function parseTenant(object: KubeObject, before?: CachedTenant): CachedTenant {
  const { metadata, spec: raw, status } = object as unknown as Tenant;
  if (before !== undefined && before.metadata.generation === metadata.generation)
    return { ...before, metadata, status };
  const parsed = parseWithSchema(tenantSpecSchema, raw);
  if ("value" in parsed)
    return {
      metadata,
      spec: parsed.value,
      invalid: undefined,
      class: parsed.value.class,
      identityUid: parsed.value.credentials.identityUid,
      breakGlass: parsed.value.breakGlass ?? [],
      status,
    };
  const path = ["spec", ...parsed.mistake.path].map(String).join(".");
  const unchecked = raw as Partial<TenantSpec> | undefined;
  const [name, identity] = [unchecked?.class, unchecked?.credentials?.identityUid];
  const breakGlass: unknown = unchecked?.breakGlass;
  return {
    metadata,
    spec: undefined,
    invalid: `${path}: ${parsed.mistake.message}`,
    class: typeof name === "string" ? name : "",
    identityUid: typeof identity === "string" ? identity : undefined,
    breakGlass: Array.isArray(breakGlass) ? breakGlass.filter((uid) => typeof uid === "string") : [],
    status,
  };
}

export function isBeingDeleted({ metadata }: CachedTenant): boolean {
  return metadata.deletionTimestamp !== undefined;
}
