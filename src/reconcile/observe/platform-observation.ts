import type { Kind } from "#src/kinds/kind.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { CachedResource } from "./cached-resource.ts";
import { roleToRead } from "./declared-roles.ts";
import { externalOf, externalWithoutSession } from "./external.ts";
import { findingOf, type Seeker } from "./finding.ts";
import { grantsOf } from "./grants.ts";
import { knowledgeOf, noKnowledge } from "./knowledge.ts";
import type {
  Knowledge,
  Observed,
  ObservedAccess,
  ObservedExternal,
  ObservedSession,
  ObservedTenancy,
  References,
} from "./observed.ts";
import { protectionsOf } from "./protections.ts";
import type { ReconcileState } from "./reconcile-state.ts";
import { referencesOf } from "./references.ts";
import type { Sources } from "./sources.ts";
import { unknownIdentitiesOf } from "./unknown-identities.ts";
import { peopleOf } from "./vouched-people.ts";

/** The parts of an observation that depend on a session of the platform. */
type PlatformObservation = Pick<ObservedTenancy, "references"> &
  Omit<ObservedExternal, "unrecorded"> &
  Knowledge &
  ObservedAccess &
  ObservedSession;

/** What is known of the platform through the session of the object's Tenant. */
export function observePlatform(
  sources: Sources,
  context: TenantContext,
  kind: Kind,
  cached: CachedResource,
  markers: Observed["markers"],
  state: ReconcileState,
  foreignParent: readonly string[],
): PlatformObservation {
  const { resource, invalid } = cached;
  const { session } = context;
  const references =
    invalid === undefined ? referencesOf(sources, context, kind, resource, markers[0]) : invalidReferences;
  const resolved = references.are === "resolved" ? references : undefined;
  const seeker: Seeker = { kind, cached, markers, resolved, state };
  const keys = findingOf(kind).keysOf(seeker);
  const external = externalOf(sources, context, seeker, keys);
  return {
    references,
    ...external,
    ...knowledgeOf(sources, context, seeker, keys, external, foreignParent),
    ...accessOf(sources, context, seeker, references, external),
    credentialEpoch: context.credentialEpoch(),
    recoveries: session.recoveries,
  };
}

/** Without a Tenant there is no session for the object. */
export function unobservedPlatform(
  sources: Sources,
  kind: Kind,
  cached: CachedResource,
  markers: Observed["markers"],
): PlatformObservation {
  return {
    references: ungoverned,
    ...externalWithoutSession(sources, kind, cached, markers),
    ...noKnowledge(sources),
    protections: [],
    unknownIdentities: [],
    roleToRead: null,
    grants: [],
    people: null,
    credentialEpoch: 0,
    recoveries: 0,
  };
}

function accessOf(
  sources: Sources,
  context: TenantContext,
  { kind, cached: { resource } }: Seeker,
  references: References,
  { claim, matches, nameConflicts }: Pick<ObservedExternal, "claim" | "matches" | "nameConflicts">,
): ObservedAccess {
  const present = claim?.external.is === "present" ? [claim.external.resource] : [];
  const concerned = [...present, ...matches, ...nameConflicts.map(({ external }) => external)];
  return {
    protections: protectionsOf(sources, context, kind, claim?.uid, concerned),
    unknownIdentities: unknownIdentitiesOf(sources, context.session, kind, references, concerned),
    roleToRead: roleToRead(sources, context, kind, resource, references),
    grants: grantsOf(sources, context, kind, resource, concerned),
    people: peopleOf(sources, context.session, kind, resource, concerned),
  };
}

const ungoverned: References = {
  are: "waiting",
  reason: "ReferenceNotReady",
  message: "References are resolved once exactly one Tenant selects the namespace.",
};

const invalidReferences: References = {
  are: "waiting",
  reason: "ReferenceNotFound",
  message: "The spec is invalid, so its references cannot be resolved. Correct the spec.",
};
