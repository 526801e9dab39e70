import * as z from "zod";
import { type UidScheme, uidPattern } from "./uid.ts";

/** A resource on the platform, as the operator reads it. The other fields depend on its type. */
export interface ExternalResource {
  readonly uid: string;
  /** Absent if resources of this type have no description. */
  readonly description?: string;
  /**
   * When the platform created the resource. Absent, unless it tells the resource from another one that has the same uid
   * later: see `UidScheme.isSingleton`.
   */
  readonly createTime?: string;
}

/** What distinguishes a collection whose resources contain a secret that only the response to the create request contains. */
export interface Issuing<R extends ExternalResource = ExternalResource> {
  /** The schema of that response. The secret is returned to whoever creates the resource, and recorded nowhere. */
  readonly schema: z.ZodType<R>;
}

/** How the resources of one type are addressed and read. */
export interface ResourceType<R extends ExternalResource = ExternalResource> {
  /** The name of the collection in paths and lists, such as `groups`. */
  readonly name: string;
  /** The API that serves the collection, such as `iam/v2beta1`. */
  readonly api: string;
  /**
   * The fields that the operator uses. Responses are validated against the schema, because the operator does not trust the
   * platform; unknown fields are dropped.
   */
  readonly schema: z.ZodType<R>;
  readonly issuing?: Issuing<R> | null;
  readonly uids: UidScheme;
}

/** The keys by which a view finds resources, in addition to the uid. */
export interface ResourceKeys<R> {
  readonly uids: UidScheme;
  /** Resources with the same natural key are the same to the operator, whatever their uids. */
  naturalKeyOf(resource: R): string | undefined;
  /** Undefined if resources of this type have no name. */
  nameOf(resource: R): string | undefined;
}

/**
 * The name that only one resource in a group can have, for a resource named `name`. It is the same for all singletons,
 * because a group has one, whatever its name. Undefined if resources of the type have no name.
 */
export function uniqueName({ uids }: Pick<ResourceKeys<never>, "uids">, name: string | undefined): string | undefined {
  return uids.isSingleton ? "" : name;
}

/** A collection whose resources the operator manages. The client knows collections only by such descriptions. */
export interface ManagedCollection<R extends ExternalResource = ExternalResource>
  extends ResourceType<R>,
    ResourceKeys<R> {
  /** The capability that is required to list the collection, by its name in the API. */
  readonly listCapability: string;
  /**
   * The fields that decide who can authenticate by means of a resource: who may assume an identity, or log in with an identity
   * provider. None for most types.
   */
  readonly authenticationFields: readonly string[];
  /** Null if what the platform returns of a resource is the same in every response. */
  readonly issuing: Issuing<R> | null;
}

/** The schema of a uid. */
export const externalUid = z.string().regex(uidPattern);
/** The schema of a text that the platform omits if it is empty. */
export const externalText = z.string().default("");
