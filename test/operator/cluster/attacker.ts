import { expect, vi } from "vitest";
import { kustomize } from "#test/deploy/kustomize.ts";
import { serviceAccount } from "#test/deploy/users.ts";
import type { KubeClient, KubeObject, ObjectRef } from "#test/support/control-plane/kube-client.ts";
import { isUnready, type MusterKind, musterObject } from "#test/support/harness/muster-objects.ts";
import type { PlatformCollection, PlatformResource } from "#test/support/harness/platform-admin.ts";
import type { System } from "#test/support/harness/system.ts";
import { tenantObject } from "#test/support/harness/tenants.ts";
import {
  accomplice,
  attacker,
  attackerSpec,
  attackerTenant,
  disclosures,
  foreignDescription,
  type World,
} from "./escalation-world.ts";

/** An object in the namespace of the attacker. */
export function objectOf(kind: MusterKind, name: string, spec: object, metadata: object = {}): KubeObject {
  const plain = musterObject(kind, attacker, name, spec);
  return { ...plain, metadata: { ...plain.metadata, ...metadata } };
}

/** Somebody who edits the namespace of the attacker, and looks at what comes of it. */
export class Attacker {
  readonly #system: System;
  readonly #world: World;

  constructor(system: System, world: World) {
    this.#system = system;
    this.#world = world;
  }

  /** Narrows or widens the Tenant of the attacker; without `changes`, makes it as it was. */
  async tenant(changes: object = {}): Promise<void> {
    const { admin } = this.#system.controlPlane;
    await admin.apply(tenantObject(attackerTenant, { ...attackerSpec(this.#world), ...changes }));
  }

  async uidOf(object: KubeObject): Promise<string> {
    return (await this.#system.ready(object))["status"].uid;
  }

  async exists(collection: PlatformCollection, uid: string): Promise<PlatformResource | undefined> {
    return (await this.#system.admin.list(collection)).find((one) => one.uid === uid);
  }

  /** Waits until an object is refused, and checks that it discloses nothing of the victim. */
  async refused(object: ObjectRef, reason: string): Promise<KubeObject | undefined> {
    const shown = await this.#system.waitFor(object, isUnready(reason));
    expect(disclosures(shown, this.#world)).toEqual([]);
    return shown;
  }

  /** What the events in the attacker's namespaces say about the victim. */
  async disclosedByEvents(): Promise<readonly string[]> {
    const { admin } = this.#system.controlPlane;
    const events = { apiVersion: "events.k8s.io/v1", kind: "Event" };
    const said = JSON.stringify([
      ...(await admin.list(events, { namespace: attacker })),
      ...(await admin.list(events, { namespace: accomplice })),
    ]);
    const { foreign, vault, vaultIdentity, vaultBinding } = this.#world;
    const secrets = [foreign, vault, vaultIdentity, vaultBinding, foreignDescription, "treasury"];
    return secrets.filter((secret) => said.includes(secret));
  }

  async remove(...objects: readonly KubeObject[]): Promise<void> {
    for (const one of objects) await this.#system.controlPlane.admin.delete(one);
    for (const one of objects) await this.#system.gone(one);
  }

  /** A client with the permissions of somebody who edits the namespace, and with the policy that reserves fields. */
  async client(): Promise<KubeClient> {
    const { controlPlane } = this.#system;
    const client = await serviceAccount(controlPlane, attacker, "editor");
    for (const one of await kustomize("base"))
      if (["muster-edit", "muster-reserved"].includes(one.metadata.name)) await controlPlane.admin.apply(one);
    const apiGroup = "rbac.authorization.k8s.io";
    await controlPlane.admin.apply({
      apiVersion: `${apiGroup}/v1`,
      kind: "RoleBinding",
      metadata: { namespace: attacker, name: "editor" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "muster-edit" },
      subjects: [{ kind: "ServiceAccount", namespace: attacker, name: "editor" }],
    });
    return client;
  }
}

/** Repeats a request until the API server has observed the permissions for it. */
export async function eventually(request: () => Promise<unknown>): Promise<void> {
  await vi.waitFor(request, { timeout: 30_000, interval: 100 });
}
