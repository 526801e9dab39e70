import { describe, expect, it } from "vitest";
import type { Status } from "#src/api/status.ts";
import { conclude } from "./conclude.ts";
import { decisionInput, identityResource, parent, ready, resolved, uid } from "./observed-fixture.testing.ts";
import { stalled } from "./outcome.ts";

const issuer = "https://token.actions.githubusercontent.com";
const everybody = { claimMatch: { issuer, subjectPattern: ".*" } };

function concluded(spec: object, status?: Status) {
  const resource = identityResource({ spec, ...(status === undefined ? {} : { status }) });
  const input = decisionInput({ resource, references: resolved({ name: "ci", ...spec }) });
  return conclude(input, { is: "ready", recorded: { uid, parentUid: parent, management: "Created" } });
}
const warning = { do: "writeStatus", events: [{ type: "Warning", reason: "UndeclaredAccess" }] };

describe("an identity that anybody can assume", () => {
  it.each([
    ["at a public issuer", everybody],
    ["at an issuer of the settings", { claimMatch: { issuer: "https://public.example", subjectPattern: ".+" } }],
    ["at every issuer", { claimMatch: { issuerPattern: ".*", subjectPattern: ".*" } }],
  ])("%s raises an Event when it becomes Ready", (_, spec) => {
    expect(concluded(spec)).toMatchObject(warning);
  });

  it.each([
    [".*", "for example with the subject stranger"],
    ["repo:[b-z].*", "can match a subject that does not begin with the name of your organization"],
    ["(?i)repo:acme/.*", "is unknown, because it contains the flag (?i) at character 1. Leave it out, and write"],
  ])("says of the subject pattern %s why", (subjectPattern, why) => {
    const step = concluded({ claimMatch: { issuer, subjectPattern } });
    expect(step).toMatchObject(warning);
    expect(JSON.stringify(step)).toContain(why);
  });

  it("raises it in addition to the event of its adoption", () => {
    const input = decisionInput({
      resource: identityResource({ spec: everybody }),
      references: resolved({ name: "ci", ...everybody }),
    });
    const adopted = { type: "Normal", reason: "Adopted", note: "" } as const;
    const recorded = { uid, parentUid: parent, management: "Adopted" } as const;
    expect(conclude(input, { is: "ready", recorded }, undefined, adopted)).toMatchObject({
      events: [adopted, { reason: "UndeclaredAccess" }],
    });
  });

  it("raises it again in a new generation, and only then", () => {
    expect(concluded(everybody, { ...ready, observedGeneration: 0 })).toMatchObject(warning);
    expect(concluded(everybody, { ...ready, lastSyncTime: "2026-01-01T00:00:01Z" })).not.toHaveProperty("events");
  });

  it("raises none before it is Ready", () => {
    const input = decisionInput({ resource: identityResource({ spec: everybody }), references: resolved(everybody) });
    expect(conclude(input, stalled("Conflict", "conflict"))).not.toHaveProperty("events");
  });

  it.each([
    ["one subject", { claimMatch: { issuer, subject: "repo:acme/shop" } }],
    ["one organization", { claimMatch: { issuer, subjectPattern: "repo:acme/.*" } }],
    ["one organization's issuer", { claimMatch: { issuer: "https://issuer.example", subjectPattern: ".*" } }],
    ["a service account", { serviceAccountRef: { name: "ci" } }],
  ])("is not one of %s", (_, spec) => {
    expect(concluded(spec)).not.toHaveProperty("events");
  });
});
