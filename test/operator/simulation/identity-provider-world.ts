import { issuerAnnotation } from "#src/api/annotations.ts";
import type { Status } from "#src/api/status.ts";
import type { ExternalIdentityProvider } from "#src/platform-client/identity-providers.ts";
import type { Boundary } from "#src/reconcile/tenancy/boundary.ts";
import type { Manifest } from "./memory-kube.ts";
import { root } from "./memory-platform.ts";
import { type Fault, Scenario } from "./scenario.ts";

export const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
export const issuer = "https://login.example";
/** Secrets of the client, which only the platform may see. */
export const planted = "planted-secret-1f7a";
export const rotated = "planted-secret-2b9c";
export const shop: Manifest = { kind: "Group", name: "shop", spec: { parentUid: root, policy } };
export const sso = {
  kind: "IdentityProvider",
  name: "sso",
  spec: {
    groupRef: { name: "shop" },
    issuer,
    clientId: "muster",
    clientSecretRef: { name: "sso" },
    defaultRoleRef: { name: "viewer" },
    policy,
  },
} satisfies Manifest;
const { clientSecretRef: _none, ...withoutSecret } = sso.spec;
export const publicClient = { ...sso, spec: withoutSecret };

/** A cluster with one Tenant, to which a test gives an identity provider and its Secret. */
export function startWorld({ fault = {}, boundary = {} }: { fault?: Fault; boundary?: Partial<Boundary> } = {}) {
  const seen: string[] = [];
  const scenario = new Scenario(fault, (observed, step) => seen.push(JSON.stringify([observed, step])), undefined, {
    boundary,
  });
  const { kube, platform } = scenario;
  const setSecret = (text: string, annotation = issuer, key = "clientSecret") =>
    kube.setSecret("sso", { [key]: text }, { [issuerAnnotation]: annotation });
  const groupStatus = () => kube.find("Group", "shop")?.status as Status | undefined;
  const status = () => kube.find("IdentityProvider", "sso")?.status as Status | undefined;
  const ready = () => status()?.conditions?.find(({ type }) => type === "Ready");
  const external = () =>
    platform.createdIn("identityProviders").find(({ uid }) => uid === status()?.uid) as ExternalIdentityProvider;
  const apply = async (...manifests: readonly Manifest[]) => {
    for (const manifest of manifests) kube.apply(manifest);
    await scenario.until("Ready", () => scenario.differences(manifests).length === 0);
  };
  /** Changes the provider as others would. */
  const change = (fields: object) => platform.set("identityProviders", { ...external(), ...fields });
  const sent = () => platform.clientSecrets.get(status()?.uid ?? "");
  /** Several resyncs, each of which has ten minutes. */
  const resync = async (times: number) => {
    for (let resyncs = 0; resyncs < times; resyncs += 1) {
      await scenario.resync();
      await scenario.pass(600_000);
    }
  };
  /** The condition of the group about what nobody declared. */
  const accessDeclared = () => groupStatus()?.conditions?.find(({ type }) => type === "AccessDeclared");
  /** Whether anything but the platform has seen a secret. */
  const leaks = () =>
    [...seen, ...scenario.events, ...scenario.process.failures.map(String), JSON.stringify(kube.objects())].filter(
      (text) => text.includes("planted-secret"),
    );
  return {
    scenario,
    kube,
    platform,
    setSecret,
    status,
    ready,
    external,
    change,
    apply,
    sent,
    leaks,
    resync,
    groupStatus,
    accessDeclared,
  };
}

export type ProviderWorld = ReturnType<typeof startWorld>;
