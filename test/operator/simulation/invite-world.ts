import { expect } from "vitest";
import type { Status } from "#src/api/status.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { Boundary } from "#src/reconcile/tenancy/boundary.ts";
import type { Manifest } from "./memory-kube.ts";
import { root, viewer } from "./memory-platform.ts";
import { type Fault, Scenario } from "./scenario.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
export const shop: Manifest = { kind: "Group", name: "shop", spec: { parentUid: root, policy } };
export const day = 86_400_000;
export const invites = "groupInvites";

/** An invite that expires a day after the start of a scenario. */
export function inviteOf(scenario: Scenario, name = "ada", more: object = {}) {
  const expiresAt = new Date(scenario.clock.now() + day).toISOString();
  const spec = {
    groupRef: { name: "shop" },
    roleRef: { name: "viewer" },
    expiresAt,
    secretRef: { name: "ada" },
    ...more,
  };
  return { kind: "GroupInvite", name, spec } satisfies Manifest;
}

/** A cluster with one Tenant, to which a test gives invites and their Secrets. */
export function startWorld({ fault = {}, boundary = {} }: { fault?: Fault; boundary?: Partial<Boundary> } = {}) {
  const seen: string[] = [];
  const scenario = new Scenario(fault, (observed, step) => seen.push(JSON.stringify([observed, step])), kinds, {
    boundary,
  });
  const { kube, platform } = scenario;
  const ada = inviteOf(scenario);
  const status = (name = "ada") => kube.find("GroupInvite", name)?.status as Status | undefined;
  const ready = (name = "ada") => status(name)?.conditions?.find(({ type }) => type === "Ready");
  const reported = (reason: string, name = "ada") =>
    scenario.until(reason, () => ready(name)?.reason === reason && ready(name)?.status === "False");
  const isReady = (name = "ada") => scenario.until("Ready", () => ready(name)?.status === "True");
  const apply = (...manifests: readonly Manifest[]) => {
    for (const manifest of manifests) kube.apply(manifest);
  };
  const existing = () => platform.createdIn(invites).map(({ uid }) => uid);
  /** Whether anything but the Secret and the platform has a code. */
  const leaks = () =>
    [...seen, ...scenario.events, ...scenario.process.failures.map(String), JSON.stringify(kube.objects())].filter(
      (text) => text.includes("planted") || text.includes(Buffer.from("planted").toString("base64").slice(0, 8)),
    );
  const rest = async () => {
    const { writes } = platform;
    await scenario.resync();
    await scenario.pass(3_600_000);
    expect(platform.writes).toBe(writes);
  };
  return { seen, scenario, kube, platform, ada, status, ready, reported, isReady, apply, existing, leaks, rest };
}

export type InviteWorld = ReturnType<typeof startWorld>;

/** The Secret has the code of the one invite on the platform. */
export function expectHandedOver({ kube, platform, existing, status, leaks }: InviteWorld) {
  const [uid = ""] = existing();
  expect(existing()).toHaveLength(1);
  expect(kube.secretData("ada")).toEqual({ code: platform.codes.get(uid), uid });
  expect(status()).toMatchObject({ uid, roleUid: viewer, management: "Created" });
  expect(leaks()).toEqual([]);
}

export const gone = ({ scenario, kube }: InviteWorld) =>
  scenario.until("gone", () => kube.find("GroupInvite", "ada") === undefined);

/** Calls `spoil` when the operator creates an invite. */
export function onCreation({ platform }: InviteWorld, spoil: () => void): void {
  platform.fault = (call) => {
    if (call === "create groupInvites") spoil();
    return undefined;
  };
}
