import { abandonAnnotation, pausedAnnotation, reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";
import type { Manifest } from "./memory-kube.ts";
import { auditor } from "./memory-platform.ts";
import type { Change, PlannedWorld } from "./planned-world.ts";
import { blue, otherBlueIdentity, red, shared, tenantManifest } from "./two-tenants.ts";

/** What else people do in a world, one of these in each: several at once are races between objects. */
const variations = ["none", "annotations", "observe", "names", "namespaces", "tenants", "unseen"] as const;

interface Policy {
  readonly policy: object;
}

/** What people do beside editing and deleting objects. */
export class RandomVariation {
  readonly is: (typeof variations)[number];
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
    this.is = this.#one(...variations);
  }

  #one<T>(...choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)] as T;
  }

  #happens(share: number): boolean {
    return this.#random() < share;
  }

  /** An object as somebody wrote it who knows more of its fields. */
  vary(manifest: Manifest): Manifest {
    const { kind, spec } = manifest;
    const others = {
      ...manifest,
      spec: { ...spec, ...this.#nameOf(manifest), ...this.#fieldsOf(kind, spec as Policy) },
    };
    if (this.is !== "annotations" || !this.#happens(0.2)) return others;
    const annotations = this.#one<Readonly<Record<string, string>>>(
      {},
      { [pausedAnnotation]: "true" },
      { [abandonAnnotation]: "true" },
      { [reconcileRequestedAtAnnotation]: "2026-01-01T00:00:00Z" },
    );
    return { ...others, annotations };
  }

  /** A name on the platform that no other object has: what competes for one may be used before it is known who gets it. */
  #nameOf({ kind, name, namespace = "team" }: Manifest): object {
    const hasName = ["Group", "Identity", "Role", "IdentityProvider"].includes(kind);
    return this.is === "names" && hasName ? { name: `${name}-${namespace}${this.#one("", "-renamed")}` } : {};
  }

  #fieldsOf(kind: string, { policy }: Policy): object {
    if (this.is === "observe" && kind !== "GroupInvite" && this.#happens(0.2))
      return { policy: { ...policy, management: "Observe" } };
    const isReferredTo = ["Group", "Identity", "Role"].includes(kind);
    return this.is === "namespaces" && isReferredTo && this.#happens(0.5)
      ? { allowedNamespaces: ["team", "other"] }
      : {};
  }

  /** What happened in the cluster since the operator was there. */
  disturb({ scenario: { kube } }: PlannedWorld, manifests: readonly Manifest[]): void {
    if (this.is !== "unseen") return;
    for (const manifest of manifests) {
      const what = this.#one("nothing", "nothing", "nothing", "nothing", "deleted", "without status");
      if (what === "deleted") kube.remove(manifest);
      // The code of an invite is in its Secret, which a plan does not read.
      if (what === "without status" && manifest.kind !== "GroupInvite")
        kube.setStatus(manifest.kind, manifest.name, undefined, manifest.namespace);
    }
  }

  /** What changes of Tenants and of namespaces. */
  cluster(): Pick<Change, "applyCluster" | "removeCluster"> {
    if (this.is === "tenants")
      return this.#happens(0.2)
        ? { removeCluster: [{ kind: "Tenant", name: this.#one("red", "blue") }] }
        : { applyCluster: (["red", "blue"] as const).map((name) => this.#tenant(name)) };
    if (this.is !== "namespaces") return {};
    const name = this.#one("team", "other");
    if (this.#happens(0.5)) return { removeCluster: [{ kind: "Namespace", name }] };
    const labels = this.#one<Readonly<Record<string, string>>>({ team: "red" }, { team: "blue" }, {});
    return { applyCluster: [{ kind: "Namespace", name, labels }] };
  }

  #tenant(name: "red" | "blue") {
    return tenantManifest(name, {
      // The blue identity has no rights in the red group, which a plan does not check.
      groups: name === "red" ? this.#one([red, shared], [red], [red, blue, shared]) : this.#one([blue, shared], [blue]),
      roles: this.#one(["viewer"], ["viewer", "owner"], []),
      kinds: this.#one(undefined, ["Group", "Identity", "RoleBinding"], ["Group", "Role", "IdentityProvider"]),
      adopt: this.#one(undefined, []),
      awsAccounts: this.#one(undefined, []),
      breakGlass: this.#one(undefined, [auditor]),
      allowOrphan: this.#one(true, false),
      undeclared: this.#one("Remove", "Report"),
      identityUid: name === "blue" ? this.#one(undefined, otherBlueIdentity, "") : undefined,
    });
  }
}
