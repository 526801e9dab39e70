import { describe, expect, it } from "vitest";
import type { Exchange, Status } from "#src/api/status.ts";
import { exchangeOf } from "./exchange.ts";
import {
  decisionInput,
  groupResource,
  identityResource,
  parent,
  ready,
  resolved,
  uid,
} from "./observed-fixture.testing.ts";
import type { Outcome } from "./outcome.ts";
import { failing, stalled } from "./outcome.ts";

const isReady: Outcome = { is: "ready", uid, parentUid: parent };
const claimMatch = { issuer: "https://issuer.example", subject: "ci" };
const exchange: Exchange = {
  url: "https://auth.example/sts/exchange",
  platformUrl: "https://api.example",
  issuer: "https://issuer.example",
  subject: "ci",
  audience: "auth.example",
  apiAudience: "https://api.example",
};

function ofIdentity(outcome: Outcome, { spec = { claimMatch }, status }: { spec?: object; status?: Status } = {}) {
  const resource = identityResource({ spec, ...(status === undefined ? {} : { status }) });
  const external = { uid, name: "ci", description: "", claimMatch: { ...claimMatch, subject: "observed" } };
  return exchangeOf(
    decisionInput({
      resource,
      references: resolved({ name: "ci", ...spec }),
      external: { is: "present", resource: external, seenAt: 1 },
    }),
    outcome,
  );
}

describe("status.exchange", () => {
  it("is written with Ready", () => {
    expect(ofIdentity(isReady)).toEqual(exchange);
  });

  it("stays as it is while the identity is not Ready", () => {
    expect(ofIdentity(failing("DriftDetected", "drift"), { status: { ...ready, exchange } })).toBeUndefined();
    expect(ofIdentity({ is: "paused" }, { status: { ...ready, exchange } })).toBeUndefined();
  });

  it("is removed once the identity is gone", () => {
    expect(ofIdentity(stalled("ExternalGone", "gone"), { status: { ...ready, exchange } })).toBeNull();
  });

  it("removes by name the fields that it no longer has", () => {
    const { subject: _, ...others } = claimMatch;
    expect(ofIdentity(isReady, { spec: { claimMatch: others }, status: { ...ready, exchange } })).toMatchObject({
      issuer: "https://issuer.example",
      subject: null,
    });
  });

  it("is that of the platform if the identity is only observed", () => {
    const spec = { policy: { management: "Observe" } };
    expect(ofIdentity(isReady, { spec, status: ready })).toMatchObject({ subject: "observed" });
  });

  it("is absent from a group", () => {
    expect(exchangeOf(decisionInput({ resource: groupResource() }), isReady)).toBeNull();
  });
});
