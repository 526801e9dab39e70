import { describe } from "vitest";
import { withMarker } from "#src/kinds/marker.ts";
import { itDecides, present, reportsStalled } from "./decision-cases.testing.ts";
import {
  anotherUid,
  emptyState,
  holdsNothing,
  identityResource,
  marker,
  otherRoot,
  ready,
  resolved,
  uid,
} from "./observed-fixture.testing.ts";

const claimMatch = { issuer: "https://i.example", subject: "ci" };
const spec = { claimMatch: { ...claimMatch, subject: "another" } };
const edited = identityResource({ metadata: { generation: 2 }, spec, status: ready });
const bare = { uid, name: "ci", description: withMarker("", marker) };
const external = { ...bare, claimMatch };
/** The identity on the platform, with how it is assumed. */
const assumedBy = (authentication: object) => present({ ...bare, ...authentication });
const given = {
  resource: edited,
  references: resolved({ name: "ci", claimMatch: spec.claimMatch }),
  external: present(external),
};
const reads = { do: "readGrants", of: { identity: uid } };
const writes = { do: "update", mask: ["claimMatch"] };
const elsewhere = `${otherRoot}/4444444444444444`;

describe("an edit of who may assume an identity", () => {
  itDecides([
    { name: "reads the role bindings of the identity first", given, expected: reads },
    { name: "is written if it holds none", given: { ...given, grants: [holdsNothing] }, expected: writes },
    {
      name: "reads them again if the last read started before the edit was seen",
      given: {
        ...given,
        external: present(external, 19_951),
        grants: [holdsNothing],
        state: { ...emptyState, specSeenAt: 19_951 },
      },
      expected: reads,
    },
    {
      name: "reads them again if the last read started before the identity was seen as it is",
      given: { ...given, external: present(external, 19_951), grants: [holdsNothing] },
      expected: reads,
    },
    {
      name: "reads them again if somebody requested a reconcile since",
      given: {
        ...given,
        external: present(external, 19_952),
        request: { value: "now", seenAt: 19_952 },
        grants: [holdsNothing],
      },
      expected: reads,
    },
    {
      name: "reads the identity first, and then them again, after a minute",
      given: { ...given, now: 80_000, grants: [holdsNothing] },
      expected: { do: "read", uid },
    },
    {
      name: "reads them again after a minute",
      given: { ...given, now: 80_000, external: present(external, 79_900), grants: [holdsNothing] },
      expected: reads,
    },
    {
      name: "is not written while it holds what the Tenant does not permit, and names the role binding in its groups",
      given: { ...given, grants: [{ ...holdsNothing, denied: [anotherUid, elsewhere] }] },
      expected: reportsStalled("TenantDenied", `See role binding ${anotherUid}, and others outside of the groups`),
    },
    {
      name: "reports what differs",
      given: { ...given, grants: [{ ...holdsNothing, denied: [anotherUid] }] },
      expected: { patch: { drift: [{ field: "claimMatch" }] } },
    },
    {
      name: "is written if objects declare what the Tenant itself does not permit",
      given: { ...given, grants: [{ ...holdsNothing, denied: [anotherUid], declared: [anotherUid] }] },
      expected: writes,
    },
    {
      name: "is not written if they declare only a part of it",
      given: { ...given, grants: [{ ...holdsNothing, denied: [anotherUid, elsewhere], declared: [anotherUid] }] },
      expected: reportsStalled("TenantDenied", "The role bindings are outside of the groups of the Tenant."),
    },
    {
      name: "reads a role of an object first that it holds, and that was not read a moment ago",
      given: { ...given, grants: [{ ...holdsNothing, roleToRead: anotherUid }] },
      expected: { do: "readRole", role: anotherUid },
    },
  ]);
});

describe("what lets in nobody else is written without a read", () => {
  const account = { issuer: "https://cluster.example", subject: "system:serviceaccount:team:ci" };
  const ofAccount = { serviceAccountRef: { name: "ci" } };
  const uploaded = (kid: string) => ({
    ...account,
    issuerKeys: JSON.stringify({ keys: [{ kid }] }),
    expirationTime: "2026-09-01T00:00:00.000Z",
    audiences: ["auth.example"],
  });
  const keys = { ...uploaded("a"), issuer: "https://i.example", subject: "ci" };
  const both = { ...keys, issuerKeys: JSON.stringify({ keys: [{ kid: "a" }, { kid: "b" }] }) };
  const withStaticKeys = identityResource({ spec: { staticKeys: keys }, status: ready });
  itDecides([
    {
      name: "a name",
      given: {
        ...given,
        references: resolved({ name: "renamed", claimMatch }),
        resource: identityResource({
          metadata: { generation: 2 },
          spec: { name: "renamed", claimMatch },
          status: ready,
        }),
        snapshot: { startedAt: 19_000, stable: true },
      },
      expected: { do: "update", mask: ["name"] },
    },
    {
      name: "the keys of the cluster, for the same service account",
      given: {
        resource: identityResource({ spec: ofAccount, status: ready }),
        references: resolved({ name: "ci", staticKeys: uploaded("b") }),
        external: assumedBy({ staticKeys: uploaded("a") }),
      },
      expected: { do: "update", mask: ["staticKeys"] },
    },
    {
      name: "the keys of the cluster, where the platform discovered them before",
      given: {
        resource: identityResource({ spec: ofAccount, status: ready }),
        references: resolved({ name: "ci", staticKeys: uploaded("a") }),
        external: assumedBy({ claimMatch: { ...account, audience: "auth.example" } }),
      },
      expected: { do: "update", mask: ["staticKeys"] },
    },
    {
      name: "fewer static keys",
      given: {
        resource: withStaticKeys,
        references: resolved({ name: "ci", staticKeys: keys }),
        external: assumedBy({ staticKeys: both }),
      },
      expected: { do: "update", mask: ["staticKeys"] },
    },
    {
      name: "but not more static keys",
      given: {
        resource: withStaticKeys,
        references: resolved({ name: "ci", staticKeys: both }),
        external: assumedBy({ staticKeys: keys }),
      },
      expected: reads,
    },
    {
      name: "but not another audience of the service account",
      given: {
        resource: identityResource({ spec: ofAccount, status: ready }),
        references: resolved({ name: "ci", claimMatch: { ...account, audience: "another" } }),
        external: assumedBy({ claimMatch: { ...account, audience: "auth.example" } }),
      },
      expected: reads,
    },
    {
      name: "but not the service account of a cluster with another issuer",
      given: {
        resource: identityResource({ spec: ofAccount, status: ready }),
        references: resolved({ name: "ci", claimMatch: { ...account, audience: "auth.example" } }),
        external: assumedBy({
          claimMatch: { ...account, issuer: "https://old.example", audience: "auth.example" },
        }),
      },
      expected: reads,
    },
    {
      name: "but not without a claim that somebody required on the platform",
      given: {
        resource: identityResource({ spec: ofAccount, status: ready }),
        references: resolved({ name: "ci", claimMatch: { ...account, audience: "auth.example" } }),
        external: assumedBy({
          claimMatch: { ...account, audience: "auth.example", claims: { environment: "production" } },
        }),
      },
      expected: reads,
    },
  ]);
});
