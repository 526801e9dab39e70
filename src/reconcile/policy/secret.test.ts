import { describe, expect, it } from "vitest";
import { apiVersion, finalizer } from "#src/api/custom-resource.ts";
import type { IdentityProvider } from "#src/api/identity-provider.ts";
import type { Status } from "#src/api/status.ts";
import { identityProviderKind } from "#src/kinds/identity-provider.ts";
import { withMarker } from "#src/kinds/marker.ts";
import type { References, SecretRead } from "#src/reconcile/observe/observed.ts";
import { minutes } from "#src/time/durations.ts";
import { type DecisionCase, itDecides, present, reports, stepFor } from "./decision-cases.testing.ts";
import { emptyState, justRead, marker, type ObservedParts, parent, ready, uid } from "./observed-fixture.testing.ts";

// When the client secret of an identity provider is read, sent and removed.

const role = "c".repeat(40);
const issuer = "https://login.example";
const at = { namespace: "team", name: "sso", key: "clientSecret" };

function provider(spec: Partial<IdentityProvider["spec"]> = {}, status?: Status): IdentityProvider {
  return {
    apiVersion,
    kind: "IdentityProvider",
    metadata: { name: "sso", namespace: "team", uid: "uid-of-sso", generation: 1, finalizers: [finalizer] },
    spec: {
      groupUid: parent,
      issuer,
      clientId: "muster",
      clientSecretRef: { name: "sso", key: "clientSecret" },
      defaultRoleUid: role,
      pkceEnabled: false,
      policy: { management: "Full", deletion: "Delete", drift: "Correct", adoption: "Never" },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

const withoutSecret = (status?: Status) => {
  const { clientSecretRef: _, ...spec } = provider().spec;
  return { ...provider({}, status), spec: { ...spec, pkceEnabled: true } };
};
const reporting = { management: "Full", deletion: "Delete", drift: "Report", adoption: "Never" } as const;

const oidc = { issuer, clientId: "muster", additionalScopes: [], groupsClaim: "", pkceEnabled: false };
const external = {
  uid,
  name: "sso",
  description: withMarker("", marker),
  updateTime: "t1",
  defaultRole: role,
  oidc,
};

const readAt = 19_000;
const secret: SecretRead & { is: "found" } = {
  is: "found",
  readAt,
  uid: "s",
  resourceVersion: "1",
  issuer,
  unusable: null,
  isEmpty: false,
  issuedUid: null,
  writable: false,
};
const missing: SecretRead = { is: "missing", readAt, writable: false };
const sent = { uid: "s", resourceVersion: "1", key: "clientSecret", updateTime: "t1" };
const recorded: Status = { ...ready, roleUid: role, secret: sent };
const toSend = { at, uid: "s", resourceVersion: "1" };
const waiting = { ...emptyState, waitingSince: 0 };
const refusals = { readSecret: { code: 403, message: "get secrets", attemptOf: "1  ", attempts: 1, retryAt: 30_000 } };

function given(parts: ObservedParts = {}): ObservedParts {
  const resource = (parts.resource ?? provider()) as IdentityProvider;
  const uids = { parent, role };
  const desired = identityProviderKind.desired(resource, uids, { serviceAccounts: { issuer: "", audience: "" } });
  const references: References = { are: "resolved", uids, granted: [], desired, naturalKey: marker };
  return { resource, references, nameListedAt: parts.now ?? justRead, ...parts };
}

/** An identity provider that exists as `fields` differ from its spec, and whose status records what was sent. */
function existing(parts: ObservedParts = {}, fields: Partial<typeof external> = {}): ObservedParts {
  const resource = { ...external, ...fields };
  const seen = present(resource, (parts.now ?? 20_000) - 100);
  return given({ resource: provider({}, recorded), secret, external: seen, matches: [resource], ...parts });
}

/** The step once the status says what the decision is. */
function settled(parts: ObservedParts) {
  const written = stepFor(parts);
  if (written.do !== "writeStatus") return written;
  const { resource = provider() } = parts;
  const merged = Object.entries({ ...resource.status, ...written.patch }).filter(([, value]) => value !== null);
  return stepFor({ ...parts, resource: { ...resource, status: Object.fromEntries(merged) as Status } });
}

const reads = { do: "readSecret", at };
const drift = (expected: string, actual: string) => [{ field: "secret", expected, actual }];
const sendsOnlySecret = (actual: string, expected = "version 1 of Secret s, key clientSecret") => ({
  do: "update",
  uid,
  body: { oidc },
  mask: ["oidc", "oidc.clientSecret"],
  drift: drift(expected, actual),
  secret: toSend,
});

const unusable: [string, SecretRead, string, string][] = [
  ["does not exist", missing, "ReferenceNotFound", "kubectl create secret"],
  ["names another issuer", { ...secret, issuer: "https://evil.example" }, "ReferenceNotGranted", "kubectl annotate"],
  ["is empty", { ...secret, unusable: "empty" }, "ReferenceNotFound", "is empty"],
  ["has no such key", { ...secret, unusable: "noKey" }, "ReferenceNotFound", "has no key clientSecret"],
];

const publicOidc = { ...oidc, pkceEnabled: true };
/** What a status says that does not show what was sent for the present generation of the spec. */
const unrecorded: [string, IdentityProvider][] = [
  ["as its status is empty", withoutSecret()],
  ["as an earlier generation was applied", withoutSecret({ ...recordedWithout(), appliedGeneration: 0 })],
];

function recordedWithout(): Status {
  const { conditions: _, ...before } = ready;
  return { ...before, roleUid: role };
}

describe("the creation of an identity provider with a client secret", () => {
  itDecides([
    { name: "reads the Secret first", given: given(), expected: reads },
    { name: "sends it", given: given({ secret }), expected: { do: "create", secret: toSend } },
    {
      name: "sends one that was read within ten minutes",
      given: given({ secret, now: readAt + minutes(10) - 1 }),
      expected: { do: "create" },
    },
    {
      name: "reads one again that was read ten minutes ago",
      given: given({ secret, now: readAt + minutes(10) }),
      expected: reads,
    },
    {
      name: "reads it again for a request",
      given: given({ secret, request: { value: "now", seenAt: readAt + 1 } }),
      expected: reads,
    },
    {
      name: "does not read it again for a request that was seen before",
      given: given({ secret, request: { value: "now", seenAt: readAt } }),
      expected: { do: "create" },
    },
    {
      name: "waits if the operator may not read it, and says what grants that",
      given: given({ state: { ...waiting, refusals } }),
      expected: reports("KubernetesForbidden", "kubectl create role"),
    },
    ...unusable.flatMap(([name, read, reason, message]): DecisionCase[] => [
      {
        name: `waits if it ${name}`,
        given: given({ secret: read, state: waiting }),
        expected: reports(reason, message),
      },
      {
        name: `does not read it again within half a minute if it ${name}`,
        given: given({ secret: read, state: waiting, now: readAt + 29_999 }),
        expected: reports(reason),
      },
      {
        name: `reads it again after half a minute if it ${name}`,
        given: given({ secret: read, state: waiting, now: readAt + 30_000 }),
        expected: reads,
      },
    ]),
  ]);

  it("waits for the next read of one that it cannot use", () => {
    expect(settled(given({ secret: missing, state: waiting }))).toEqual({ do: "wait", until: readAt + 30_000 });
    const untilGranted = { do: "wait", until: refusals.readSecret.retryAt };
    expect(settled(given({ state: { ...waiting, refusals } }))).toEqual(untilGranted);
  });

  it("reads none that the spec does not name", () => {
    const created = stepFor(given({ resource: withoutSecret() }));
    expect(created).toMatchObject({ do: "create" });
    expect(created).not.toHaveProperty("secret");
  });
});

describe("an identity provider that exists", () => {
  itDecides([
    { name: "is compared only with a Secret that was read", given: existing({ secret: null }), expected: reads },
    {
      name: "gets a secret that was never sent",
      given: existing({ resource: provider({}, { ...ready, roleUid: role }) }),
      expected: { ...sendsOnlySecret("(not sent)"), correction: false, event: { reason: "Updated" } },
    },
    ...(
      [
        ["version", { resourceVersion: "0" }, "version 0 of Secret s, key clientSecret"],
        ["Secret", { uid: "r" }, "version 1 of Secret r, key clientSecret"],
        ["key", { key: "other" }, "version 1 of Secret s, key other"],
      ] as const
    ).map(([what, before, actual]) => ({
      name: `gets the secret of another ${what} than was sent, which is no drift`,
      given: existing({ resource: provider({}, { ...recorded, secret: { ...sent, ...before } }) }),
      expected: { ...sendsOnlySecret(actual), correction: false, event: { reason: "Updated" } },
    })),
    {
      name: "gets the secret again if somebody changed it on the platform, which is drift",
      given: existing({}, { updateTime: "t2" }),
      expected: {
        ...sendsOnlySecret("perhaps changed at t2", "as sent at t1"),
        correction: true,
        event: { reason: "DriftCorrected" },
      },
    },
    {
      name: "gets the secret with every update",
      given: existing({}, { defaultRole: "other" }),
      expected: {
        do: "update",
        body: { defaultRole: role, oidc },
        mask: ["defaultRole", "oidc", "oidc.clientSecret"],
        drift: [{ field: "defaultRole", expected: role, actual: "other" }],
        secret: toSend,
        correction: true,
      },
    },
    {
      name: "gets the secret with an update of what contains it",
      given: existing({}, { oidc: { ...oidc, groupsClaim: "groups" } }),
      expected: { do: "update", body: { oidc }, mask: ["oidc", "oidc.clientSecret"], secret: toSend },
    },
    {
      name: "gets another secret with what is corrected, which is drift",
      given: existing(
        { resource: provider({}, { ...recorded, secret: { ...sent, resourceVersion: "0" } }) },
        { defaultRole: "other" },
      ),
      expected: { do: "update", secret: toSend, correction: true },
    },
    {
      name: "loses its secret if the spec names none any longer",
      given: existing({ resource: withoutSecret(recorded) }, { oidc: { ...oidc, pkceEnabled: true } }),
      expected: {
        do: "update",
        body: { oidc: { ...oidc, pkceEnabled: true } },
        mask: ["oidc", "oidc.clientSecret"],
        drift: drift("(none)", "version 1 of Secret s, key clientSecret"),
        secret: "removed",
        correction: false,
      },
    },
    ...unrecorded.map(([name, resource]) => ({
      name: `loses the secret that a leader may have sent before it died, ${name}`,
      given: existing({ resource }, { oidc: publicOidc }),
      expected: {
        do: "update" as const,
        body: { oidc: publicOidc },
        mask: ["oidc", "oidc.clientSecret"],
        drift: drift("(none)", "(perhaps one)"),
        secret: "removed" as const,
        correction: false,
      },
    })),
    {
      name: "loses the secret that somebody may have given it with another issuer",
      given: existing(
        { resource: withoutSecret({ ...ready, roleUid: role }) },
        { oidc: { ...oidc, pkceEnabled: true, issuer: "https://evil.example" } },
      ),
      expected: { do: "update", mask: ["oidc", "oidc.clientSecret"], secret: "removed" },
    },
    {
      name: "loses its secret if the issuer is corrected while the Secret cannot be used, and is protected by PKCE",
      given: existing({ secret: missing }, { oidc: { ...oidc, issuer: "https://evil.example" } }),
      expected: {
        do: "update",
        body: { oidc: { ...oidc, pkceEnabled: true } },
        mask: ["oidc", "oidc.clientSecret"],
        secret: "removed",
      },
    },
    {
      name: "reports a Secret that cannot be used once everything else is as described",
      given: existing({ secret: missing, state: waiting }),
      expected: reports("ReferenceNotFound"),
    },
    {
      name: "has the secret that this process has sent, whatever the status says",
      given: existing({
        resource: provider({}, { ...ready, roleUid: role }),
        state: { ...emptyState, secretSent: { of: uid, secret: sent } },
      }),
      expected: { do: "writeStatus", patch: { secret: sent } },
    },
    {
      name: "has no secret that this process has removed, whatever the status says",
      given: existing({ state: { ...emptyState, secretSent: { of: uid, secret: null } } }),
      expected: sendsOnlySecret("(not sent)"),
    },
  ]);

  it("is left as it is if it has what was sent", () => {
    expect(settled(existing())).toMatchObject({ do: "done" });
  });

  it.each<[string, Status | undefined]>([
    ["no status records it", undefined],
    ["the status records it", { ...recordedWithout(), appliedGeneration: 0, secret: sent }],
    [
      "the status records it for what was adopted",
      { ...recordedWithout(), management: "Adopted", appliedGeneration: 0, secret: sent },
    ],
  ])("is removed only once no earlier leader can send it again, if %s", (_, status) => {
    const unsettled = { resource: withoutSecret(status), state: waiting, settledAt: 30_000 };
    const early = existing(unsettled, { oidc: publicOidc });
    expect(stepFor(early)).toMatchObject(reports("Updating"));
    const late = existing({ ...unsettled, now: 30_000 }, { oidc: publicOidc });
    expect(stepFor(late)).toMatchObject({ do: "update", secret: "removed" });
  });

  it("is not removed from what the object adopted, which had it before", () => {
    const adopted = existing(
      { resource: withoutSecret() },
      { oidc: publicOidc, description: withMarker("", marker, true) },
    );
    expect(settled(adopted)).toMatchObject({ do: "done" });
  });

  it.each([null, sent])("is removed once only, as this process knows what it sent", (known) => {
    const shown = existing(
      { resource: withoutSecret(), state: { ...emptyState, secretSent: { of: uid, secret: known } } },
      { oidc: publicOidc },
    );
    expect(settled(shown)).toMatchObject(known === null ? { do: "done" } : { do: "update", secret: "removed" });
  });

  it.each<[string, ObservedParts, Partial<typeof external>]>([
    [
      "none is to be sent",
      { resource: withoutSecret({ ...ready, roleUid: role }) },
      { oidc: { ...oidc, pkceEnabled: true } },
    ],
    ["it cannot be used", { secret: missing }, {}],
  ])("is corrected without the secret if %s", (_, parts, fields) => {
    const updated = stepFor(existing(parts, { defaultRole: "other", ...fields }));
    expect(updated).toMatchObject({ do: "update", body: { defaultRole: role }, mask: ["defaultRole"] });
    expect(updated).not.toHaveProperty("secret");
  });
});

describe("an identity provider whose drift is only reported", () => {
  const reported = (status: Status) => provider({ policy: reporting }, status);
  const older = { ...recorded, secret: { ...sent, resourceVersion: "0" } };
  itDecides([
    {
      name: "gets a Secret that somebody changed, and keeps everything else as it is",
      given: existing(
        { resource: reported(older) },
        { defaultRole: "other", oidc: { ...oidc, groupsClaim: "groups" } },
      ),
      expected: {
        do: "update",
        body: { oidc: { ...oidc, groupsClaim: "groups" } },
        mask: ["oidc", "oidc.clientSecret"],
        drift: drift("version 1 of Secret s, key clientSecret", "version 0 of Secret s, key clientSecret"),
        secret: toSend,
        correction: false,
      },
    },
    {
      name: "gets a Secret that was never sent",
      given: existing({ resource: reported({ ...ready, roleUid: role }) }, { defaultRole: "other" }),
      expected: sendsOnlySecret("(not sent)"),
    },
    {
      name: "does not get the Secret while it lets in other people",
      given: existing(
        { resource: reported(older), state: waiting },
        { oidc: { ...oidc, issuer: "https://evil.example" } },
      ),
      expected: reports("DriftDetected"),
    },
    {
      name: "does not get the Secret again that was sent",
      given: existing({ resource: reported(recorded), state: waiting }, { defaultRole: "other" }),
      expected: reports("DriftDetected"),
    },
    {
      name: "does not get a Secret that cannot be used",
      given: existing({ resource: reported(older), secret: missing, state: waiting }, { defaultRole: "other" }),
      expected: reports("DriftDetected"),
    },
  ]);

  it("is left as it is if only its time of change differs, which shows nothing", () => {
    expect(settled(existing({ resource: reported(recorded) }, { updateTime: "t2" }))).toMatchObject({ do: "done" });
  });
});

describe("the next look at a Secret", () => {
  it("is ten minutes after one that could be used", () => {
    expect(settled(existing())).toEqual({ do: "done", recheckAt: readAt + minutes(10) });
  });

  it("is half a minute after one that could not, even if the object waits for something later", () => {
    expect(settled(existing({ secret: missing, state: waiting }))).toEqual({ do: "wait", until: readAt + 30_000 });
    const references: References = { are: "denied", message: "denied" };
    const denied = { ...existing({ secret: missing, state: waiting }), references };
    expect(settled(denied)).toEqual({ do: "wait", until: readAt + 30_000 });
  });

  it("does not hurry an object that waits for something before its Secret is looked at", () => {
    const references: References = { are: "denied", message: "denied" };
    const now = readAt + 30_000;
    const denied = { ...existing({ secret: missing, state: waiting, now }), references };
    expect(settled(denied)).toEqual({ do: "wait", until: now + minutes(60) });
  });

  it("is not for an object that only observes, or that names none", () => {
    const observing = provider({ policy: { ...reporting, management: "Observe" } });
    const resource = { ...observing, metadata: { ...observing.metadata, finalizers: [] } };
    expect(settled(existing({ resource: { ...resource, status: ready } }, { description: "" }))).toEqual({
      do: "done",
    });
    const none = existing({ resource: withoutSecret(ready) }, { oidc: { ...oidc, pkceEnabled: true } });
    expect(settled(none)).toEqual({ do: "done" });
  });
});
