import { readyCondition } from "#src/api/condition.ts";
import type { Resource } from "#src/api/custom-resource.ts";
import { resourceKindOf } from "#src/api/resource-kind.ts";
import { operatorRights } from "#src/commands/operator/operator-rights.ts";
import type { ClusterReads } from "#src/commands/reader/cluster-reads.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { ReferenceField } from "#src/kinds/reference-field.ts";
import { type Governing, governingTenant } from "./governing-tenant.ts";
import type { OperatorPlaces } from "#src/commands/reader/operator-place.ts";
import { type Finding, findingOf, type Link, nothing } from "./link.ts";
import { objectLink, fixOf, type ObjectLink } from "./object-link.ts";
import { rightsLink } from "./rights-link.ts";
import { tenantFinding } from "./tenant-finding.ts";

export interface ChainSources {
  readonly cluster: ClusterReads;
  readonly kinds: readonly Kind[];
  readonly operatorOf: OperatorPlaces;
  /** Whether the caller is the operator's service account, which may ask only about itself. */
  readonly isOperator: boolean;
}

/** What an object is looked up by. */
interface Target {
  readonly link: string;
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  /** The namespace of the object that refers to it, if it is not permitted to do so. */
  readonly refusedFrom?: string;
}

/** More objects are not followed: references form a tree that is as deep as groups may be. */
const maxObjects = 64;

/** Reasons that an object that is referred to explains. */
const ofReferences: readonly string[] = [
  "ReferenceNotFound",
  "ReferenceNotReady",
  "ReferenceNotGranted",
  "ParentChanged",
];

/** Reasons that the Tenant, its credential or its breaker explains. */
const ofTenants: readonly string[] = [
  "NoTenant",
  "Overlap",
  "TokenUnavailable",
  "TokenExchangeFailed",
  "PermissionDenied",
  "OwnerMismatch",
  "RootNotFound",
  "UnknownRole",
  "HeldByBreaker",
  "PlatformUnavailable",
  "KubernetesForbidden",
];

/**
 * Follows an object to what it refers to, to its Tenant and to what the Tenant depends on, as long as something is wrong.
 * An object is read once, however often others refer to it.
 */
export class Chain {
  readonly #sources: ChainSources;
  readonly #findings = new Map<string, Promise<Finding>>();
  readonly #tenants = new Map<string, Promise<Finding>>();
  /** By namespace. */
  readonly #governing = new Map<string, Promise<Governing>>();

  constructor(sources: ChainSources) {
    this.#sources = sources;
  }

  /** What is wrong with an object whose status was read, and why. */
  of(kind: Kind, resource: Resource): Promise<Finding> {
    const { name, namespace = "" } = resource.metadata;
    return this.#explain({ link: "object", kind, namespace, name }, resource, [`${namespace}/${kind.name}/${name}`]);
  }

  /**
   * The class of the operator that serves the objects of a namespace. Without a Tenant, and if none can be read, the operator without a
   * class.
   * @param named the Tenant that an object's status names
   */
  async classOf(namespace: string, named: string | undefined): Promise<string> {
    const governing = await this.#governs(namespace, named);
    return "tenant" in governing ? governing.tenant.class : "";
  }

  async #object(target: Target, path: readonly string[]): Promise<Finding> {
    const { kind, link, name, namespace } = target;
    const subject = `${namespace}/${kind.name}/${name}`;
    if (path.includes(subject)) return findingOf(cycle(link, [...path.slice(path.indexOf(subject)), subject]));
    const known = this.#findings.get(subject);
    // Its links are in the chain already.
    if (known !== undefined) return { links: [], causes: (await known).causes };
    if (this.#findings.size >= maxObjects)
      return findingOf({
        link,
        subject,
        state: "unknown",
        message: `More than ${maxObjects} objects are not followed.`,
        fix: { text: "Ask about it:", command: `muster why ${subject}` },
      });
    const finding = this.#read(target, subject, path);
    this.#findings.set(subject, finding);
    return finding;
  }

  async #read(target: Target, subject: string, path: readonly string[]): Promise<Finding> {
    const { kind, link, name, namespace } = target;
    const read = await this.#sources.cluster.get<Resource>(resourceKindOf(kind.definition), namespace, name);
    if (read.state === "unknown")
      return findingOf({
        link,
        subject,
        state: "unknown",
        message: `It cannot be read: ${read.because}`,
        fix: read.fix,
      });
    if (read.state === "absent")
      return findingOf({
        link,
        subject,
        state: "problem",
        reason: "ReferenceNotFound",
        message: "There is no such object.",
        ...fixOf("ReferenceNotFound"),
      });
    return this.#explain(target, read.value, [...path, subject]);
  }

  async #explain(target: Target, resource: Resource, path: readonly string[]): Promise<Finding> {
    const subject = path.at(-1) ?? "";
    const own = withGrant(objectLink(target.link, subject, resource), target, resource);
    if (own.state === "ok") return findingOf(own);
    const { namespace } = target;
    const references = await this.#references(target, resource, path);
    const tenant = await this.#tenant(namespace, resource.status?.tenant);
    const rbac = await this.#rights(own, target, resource.status?.tenant);
    const further = [references, tenant, rbac];
    const causes = explains(own, references, tenant, rbac);
    return {
      links: [own, ...further.flatMap(({ links }) => links)],
      causes: causes.length > 0 ? causes : [own],
    };
  }

  async #references({ kind, namespace }: Target, resource: Resource, path: readonly string[]): Promise<Finding> {
    const findings: Finding[] = [];
    for (const field of referencesOf(kind, resource)) {
      const next = this.#targetOf(field, namespace, readyCondition(resource)?.reason);
      if (next !== undefined) findings.push(await this.#object(next, path));
    }
    return {
      links: findings.flatMap(({ links }) => links),
      causes: [...new Set(findings.flatMap(({ causes }) => causes))],
    };
  }

  #targetOf({ path: link, target }: ReferenceField, from: string, reason: string | undefined): Target | undefined {
    if (target.by !== "resource") return undefined;
    const kind = this.#sources.kinds.find(({ name }) => name === target.kind);
    if (kind === undefined) return undefined;
    const { name, namespace = from } = target.reference;
    return { link, kind, namespace, name, ...(reason === "ReferenceNotGranted" ? { refusedFrom: from } : {}) };
  }

  async #tenant(namespace: string, named: string | undefined): Promise<Finding> {
    const known = this.#tenants.get(namespace);
    if (known !== undefined) return { links: [], causes: (await known).causes };
    const finding = this.#readTenant(namespace, named);
    this.#tenants.set(namespace, finding);
    return finding;
  }

  async #readTenant(namespace: string, named: string | undefined): Promise<Finding> {
    const governing = await this.#governs(namespace, named);
    return "link" in governing ? findingOf(governing.link) : tenantFinding(governing.tenant, this.#sources);
  }

  #governs(namespace: string, named: string | undefined): Promise<Governing> {
    const governing = this.#governing.get(namespace) ?? governingTenant(this.#sources.cluster, namespace, named);
    this.#governing.set(namespace, governing);
    return governing;
  }

  /** RBAC is asked only where it may be the cause. */
  async #rights(
    { reason, unserved }: ObjectLink,
    { kind, namespace }: Target,
    named: string | undefined,
  ): Promise<Finding> {
    if (!unserved && reason !== "KubernetesForbidden") return nothing;
    const { cluster, isOperator, kinds, operatorOf } = this.#sources;
    const operator = operatorOf(await this.classOf(namespace, named));
    const rights = operatorRights(kinds).filter(({ resource }) => resource === kind.definition.plural);
    return findingOf(
      await rightsLink(
        cluster,
        operator,
        rights.map((right) => ({ ...right, namespace })),
        isOperator,
      ),
    );
  }
}

/** The causes of a problem that lie further on; none if the object itself is the cause. */
function explains(own: ObjectLink, references: Finding, tenant: Finding, rbac: Finding): readonly Link[] {
  if (own.unserved) return [...tenant.causes, ...rbac.causes];
  const { reason = "" } = own;
  if (ofReferences.includes(reason)) return references.causes;
  if (!ofTenants.includes(reason)) return [];
  const held = tenant.causes.filter((cause) => (cause.reason === "HeldByBreaker") === (reason === "HeldByBreaker"));
  return rbac.causes.length > 0 ? rbac.causes : held;
}

/** The object again, if it exists but may not be referred to from the namespace. */
function withGrant(own: ObjectLink, { namespace, refusedFrom: from }: Target, { spec }: Resource): ObjectLink {
  if (from === undefined || from === namespace || spec.allowedNamespaces?.includes(from)) return own;
  return { ...own, message: `${own.message} Its spec.allowedNamespaces does not list ${from}.` };
}

/** The references of a spec; none if the spec does not match its schema. */
function referencesOf(kind: Kind, resource: Resource): readonly ReferenceField[] {
  const parsed = kind.definition.specSchema.safeParse(resource.spec);
  return parsed.success ? kind.references({ ...resource, spec: parsed.data }) : [];
}

function cycle(link: string, path: readonly string[]): Link {
  return {
    link,
    subject: path.at(-1) ?? "",
    state: "problem",
    message: `The references lead back to where they began: ${path.join(" → ")}.`,
    fix: "Re-create one of these objects with another reference, because references are immutable.",
  };
}
