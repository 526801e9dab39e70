import type { Resource } from "#src/api/custom-resource.ts";
import type { Authentication } from "#src/api/identity.ts";
import type { LinkedAccounts } from "#src/api/linked-accounts.ts";
import type { SecretReference } from "#src/api/secret-reference.ts";
import type { ResourceDefinition } from "#src/api/resource-definition.ts";
import type { Exchange } from "#src/api/status.ts";
import type { ManagedCollection, ExternalResource } from "#src/platform-client/collection.ts";
import type { Fields } from "./fields.ts";
import type { Identification } from "./identification.ts";
import type { ReferenceField, ResolvedUids } from "./reference-field.ts";
import type { UploadedKeys } from "./uploaded-keys.ts";

/** The service-account tokens of the cluster, for `serviceAccountRef`. Plain data. */
export interface ServiceAccountTokens {
  readonly issuer: string;
  /** The audience that an identity expects if its object names none. */
  readonly audience: string;
  /** The keys to write into identities, where the platform cannot reach the issuer; otherwise it discovers them. */
  readonly uploaded?: UploadedKeys | undefined;
}

/** Facts about the cluster that the desired fields of an external resource depend on. */
export interface DesiredContext {
  readonly serviceAccounts: ServiceAccountTokens;
}

/** The addresses that a client needs to exchange a token. Plain data. */
export interface Endpoints {
  /** The token service: the address at which a token is exchanged is below it. */
  readonly authUrl: string;
  /** The platform's API, which is also the audience of its tokens. Without a slash at the end, as is `authUrl`. */
  readonly platformUrl: string;
  /** The audience that the token service expects of a token if the identity names none: the host name of `authUrl`. */
  readonly defaultAudience: string;
}

/** What distinguishes a kind whose resources clients assume by exchanging a token. */
export interface Principal<R extends Resource = Resource, E extends ExternalResource = ExternalResource> {
  /** Returns who may assume the resource, as the spec says. */
  authentication(resource: R): Authentication;
  /** Whether the spec says who may assume the resource, which it need not if it is only observed. */
  isDescribed(resource: R): boolean;
  /**
   * Whether a field follows from facts of the cluster that change without an edit of the spec. Such a change is no drift: it
   * is always written.
   */
  followsCluster(field: string, resource: R): boolean;
  /**
   * Whether everybody who may assume the resource once its fields are `desired` may do so now. If that is not known, it is not
   * so.
   */
  letsInNobodyElse(resource: R, external: E, desired: Fields): boolean;
  /**
   * Returns what a client needs to assume the resource, for the status.
   * @param fields of the resource, as returned by `desired` or `actual`.
   */
  exchange(fields: Fields, endpoints: Endpoints): Exchange;
}

/** What distinguishes a kind whose resources are roles, which are bound to identities. */
export interface Bindable<R extends Resource = Resource, E extends ExternalResource = ExternalResource> {
  /** Returns the capabilities that the role is to have, as the spec says; none if it says nothing about them. */
  desiredCapabilities(resource: R): readonly string[];
  /** Returns the capabilities that the role has on the platform. */
  capabilities(external: E): readonly string[];
}

/** What an identity says of who may assume it, as far as it tells whose people they are. */
export interface IdentityClaims {
  readonly claimMatch?: { readonly issuer?: string | undefined; readonly audience?: string | undefined } | undefined;
}

/** What distinguishes a kind whose resources let people in: those for whom an issuer vouches. */
export interface Vouching<R extends Resource = Resource, E extends ExternalResource = ExternalResource> {
  /** The field of the spec that names the issuer. */
  readonly specPath: string;
  issuerOf(resource: R): string;
  /** The fields of the spec because of which the resource lets in other people than the spec says, with what it has instead. */
  otherPeople(resource: R, external: E): readonly { readonly specPath: string; readonly actual: string }[];
  /**
   * Whether `identity` is, or may be, that of a person who logged in by means of the resource: as it is on the platform, or
   * as the spec says, from which others may have changed it since.
   */
  vouchesFor(resource: R, external: E, identity: IdentityClaims): boolean;
}

/** How a value of a Secret becomes a part of the external resource, which the platform never returns. */
export interface SecretField<R extends Resource = Resource, E extends ExternalResource = ExternalResource> {
  /** The managed field that contains the secret. It is written as a whole. */
  readonly field: string;
  /** The paths of an update that writes the field, and the secret even if it is empty. */
  readonly paths: readonly string[];
  /** The field of the spec that names the Secret, for messages. */
  readonly specPath: string;
  /** Undefined if the resource is to have no secret. */
  referenceOf(resource: R): SecretReference | undefined;
  /** The issuer that the Secret must name in its annotation, so that its value is sent nowhere else. */
  issuerOf(resource: R): string;
  /** Returns `body`, which contains the field, with the secret in it. */
  withValue(body: Fields, value: string): Fields;
  /**
   * Returns what the resource is to be while the Secret cannot be used: `fields`, as the platform accepts them without a
   * value, and whether the secret that it has must be removed, because it would be sent to another issuer.
   */
  withoutValue(fields: Fields, external: E): { readonly fields: Fields; readonly removesSecret: boolean };
  /** When the platform last changed the resource, as it returns it. */
  updateTimeOf(external: E): string;
}

/** What distinguishes a kind whose resources link a group to accounts at other providers. */
export interface Linking<R extends Resource = Resource> {
  /** Returns the accounts as the spec says, for the limits of the Tenant. */
  accounts(resource: R): LinkedAccounts;
}

/**
 * The description of a kind: everything that distinguishes it from the other kinds. One reconciler serves all kinds. A
 * kind has no state and does no I/O. docs/adding-a-kind.md explains how to add one.
 */
export interface Kind<R extends Resource = Resource, E extends ExternalResource = ExternalResource> {
  readonly name: R["kind"];
  /** The Kubernetes side: names, schema and printer columns. */
  readonly definition: ResourceDefinition<R["kind"], R["spec"]>;
  /** The platform's collection that contains the external resources: its schema, uids, keys and list capability. */
  readonly collection: ManagedCollection<E>;
  /** What messages call the external resource, such as `role binding`. */
  readonly noun: string;
  /** How the external resources are recognized. */
  readonly identification: Identification<R, E>;
  /** The kinds to which a spec can refer: only their objects have objects of this kind as dependents. */
  readonly refersTo: readonly string[];
  /** Returns the references of the spec, the parent first. A resource that is only observed may have no parent. */
  references(resource: R): readonly ReferenceField[];
  /**
   * Returns the fields to manage: those that the user set, and those that the platform requires. Null is the value of a field
   * that is to be absent.
   */
  desired(resource: R, uids: ResolvedUids, context: DesiredContext): Fields;
  /**
   * Returns the name that the external resource is to have; undefined if the kind has no names, or if the object observes
   * a resource by its uid and names none.
   */
  nameOf(resource: R): string | undefined;
  /**
   * Returns the fields of the external resource in the form of `desired`, so that the two can be compared. A default that
   * the platform filled in, and that the user did not set, is omitted.
   */
  actual(external: E, desired: Fields): Fields;
  /** Returns the uid of the identity that the external resource is, or to which it grants a role; undefined if neither. */
  identityOf(external: E): string | undefined;
  /** How a client assumes a resource of the kind; null if it cannot. */
  readonly principal: Principal<R, E> | null;
  /** What a resource of the kind allows whom it is bound to; null if it cannot be bound. */
  readonly bindable: Bindable<R, E> | null;
  /** Whose people the resource lets in; null if it lets nobody in. */
  readonly vouching: Vouching<R, E> | null;
  /** The value of a Secret that the resource contains; null if it contains none. */
  readonly secret: SecretField<R, E> | null;
  /** To which accounts at other providers the resource links its group; null if it links none. */
  readonly linking: Linking<R> | null;
  /** Returns the path in the spec of `resource` of a field that an error of the platform names, such as `spec.name`. */
  specPath(field: string, resource: R): string;
}
