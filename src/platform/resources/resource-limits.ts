import { ancestorsOf, isRoot } from "../contract/uid.ts";
import { quotaExceeded } from "../errors/api-error.ts";
import type { Quota } from "../limits/quota.ts";
import { type Statement, statement, type Writer } from "../store/database.ts";
import type { ResourceTable } from "../store/schema/tables.ts";
import { allResources, bindingsOfIdentity, type Count, exceeded } from "./tree-counts.ts";

/** What a limit counts: `kind` of `tree_counts`. */
type LimitedKind = ResourceTable | typeof allResources | typeof bindingsOfIdentity;

/**
 * The keys of `resourceLimits`. A limit counts the resources below the group, at any depth, so the groups below it inherit it.
 * This platform has no clusters: it keeps their limit, which other programs may read.
 */
const kindOfKey: Readonly<Record<string, LimitedKind | undefined>> = {
  clusters: undefined,
  idps: "identity_providers",
  repositories: "repos",
  groups: "groups",
  identities: "identities",
  roles: "roles",
  roleBindings: "role_bindings",
  groupInvites: "group_invites",
  tags: "tags",
  resources: allResources,
  roleBindingsPerIdentity: bindingsOfIdentity,
};

export const limitKeys: readonly string[] = Object.keys(kindOfKey);

/** The kinds of which a group's count has a limit. That of an identity's role bindings depends on the groups above it. */
const countedKinds = new Set<string | undefined>(
  Object.values(kindOfKey).filter((kind) => kind !== bindingsOfIdentity),
);

const setMaximum = statement((db, p: { scope: string; kind: string; maximum: number | null }) =>
  db
    .insertInto("tree_counts")
    .values({ scope: p.scope, kind: p.kind, children: 0, descendants: 0, maximum: p.maximum })
    .onConflict((conflict) => conflict.columns(["scope", "kind"]).doUpdateSet({ maximum: p.maximum })),
);

/** Sets the limits of a group, which apply to what is created from then on. */
export async function setLimits(
  writer: Writer,
  group: string,
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Promise<void> {
  for (const [key, kind] of Object.entries(kindOfKey))
    if (kind !== undefined && before[key] !== after[key])
      await writer.run(setMaximum, { scope: group, kind, maximum: after[key] ?? null });
}

/**
 * Requires that no count exceeds its limit.
 * @param counts those to which a change of resources has added; the empty scope, which is the whole platform, has no limit
 * @throws ApiError (8) that names the group or identity, and the limit
 */
export async function checkLimits(writer: Writer, counts: readonly Count[], quota: Quota): Promise<void> {
  const ofGroups = counts.flatMap(({ scope, kind }) =>
    scope === "" || !countedKinds.has(kind)
      ? []
      : [{ scope, kind, defaultLimit: kind === allResources && isRoot(scope) ? quota.resources : undefined }],
  );
  const [first] = ofGroups.length === 0 ? [] : await exceeded(writer, ofGroups);
  if (first !== undefined) {
    const { scope, kind, limit } = first;
    const key = limitKeys.find((name) => kindOfKey[name] === kind) ?? kind;
    throw quotaExceeded(
      scope,
      `group "${scope}" may have at most ${limit} ${key} below it (resourceLimits.${key}); delete some, or ask the platform's admin for a higher limit`,
    );
  }
  for (const { scope, kind } of counts) if (kind === bindingsOfIdentity) await checkBindings(writer, scope, quota);
}

const limitsAbove: Statement<Readonly<Record<string, string>>, { scope: string; maximum: number | null }>[] = [];

/** @param scopes the ancestors of an identity, the root first @returns how many role bindings it may have */
async function bindingLimit(writer: Writer, scopes: readonly string[], quota: Quota): Promise<number> {
  const select = (limitsAbove[scopes.length] ??= statement((db, p: Readonly<Record<string, string>>) =>
    db
      .selectFrom("tree_counts")
      .select(["scope", "maximum"])
      .where("kind", "=", bindingsOfIdentity)
      .where(
        "scope",
        "in",
        scopes.map((_, n) => p[`scope${n}`] as string),
      ),
  ));
  const rows = await writer.all(select, Object.fromEntries(scopes.map((scope, n) => [`scope${n}`, scope])));
  let nearest: { scope: string; maximum: number } | undefined;
  for (const { scope, maximum } of rows)
    if (maximum !== null && (nearest === undefined || scope.length > nearest.scope.length))
      nearest = { scope, maximum };
  return nearest?.maximum ?? quota.roleBindingsPerIdentity;
}

async function checkBindings(writer: Writer, identity: string, quota: Quota): Promise<void> {
  const limit = await bindingLimit(writer, ancestorsOf(identity), quota);
  const [tooMany] = await exceeded(writer, [{ scope: identity, kind: bindingsOfIdentity, defaultLimit: limit }]);
  if (tooMany !== undefined)
    throw quotaExceeded(
      identity,
      `identity "${identity}" may have at most ${limit} role bindings (resourceLimits.roleBindingsPerIdentity); bind it in a group above, or delete some`,
    );
}
