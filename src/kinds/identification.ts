import type { Resource } from "#src/api/custom-resource.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { Fields } from "./fields.ts";
import { withMarker } from "./marker.ts";
import type { ResolvedUids } from "./reference-field.ts";

/**
 * How the external resources of a kind are recognized, whatever became of a status. A kind has one of these. What follows from it
 * for a decision is in `reconcile/policy/identification-rules.ts`; no other file of the policy asks which one a kind has, but by
 * the parts of its phases that `identifiedBy` marks.
 */
export type Identification<R extends Resource = Resource, E extends ExternalResource = ExternalResource> =
  | ByMarker
  | ByFields
  | BySecret<R, E>;

/** What all of them say. */
export interface Recognition {
  /** The natural key that a resource of the kind has once it exists, or that a request to create it is known by. */
  naturalKey(uids: ResolvedUids, marker: string): string;
  /** The fields of a resource that is created, with what makes it recognizable. */
  recognizable(fields: Fields, marker: string): Fields;
  /**
   * What no two objects can have, as one text; undefined if the object contends for nothing.
   * @param targets what its references name, if that is known. @param secret identifies the Secret that the object names
   */
  contested(targets: readonly string[], name: string | undefined, secret: string | undefined): string | undefined;
  /** When the resource ends on the platform by itself, as it returns it; empty if it does not, or that is not known. */
  expirationOf(external: ExternalResource): string;
  /** Whether another resource is created after this one is gone. */
  readonly createdAgain: boolean;
}

/** A resource carries the marker of its object in its description. */
export interface ByMarker extends Recognition {
  readonly by: "marker";
}

export const byMarker: ByMarker = {
  by: "marker",
  naturalKey: (_uids, marker) => marker,
  recognizable: (fields, marker) => {
    const { description } = fields;
    return { ...fields, description: withMarker(typeof description === "string" ? description : "", marker) };
  },
  contested: (targets, name) =>
    targets.length === 0 || name === undefined ? undefined : `${targets.join(" | ")} | ${name}`,
  expirationOf: () => "",
  createdAgain: true,
};

/** A resource has no description: it is what it grants, and where. Equal ones are legitimate, and one is as good as another. */
export interface ByFields extends Recognition {
  readonly by: "fields";
}

/** @param naturalKey as `ManagedCollection.naturalKeyOf` returns it for a resource with these uids */
export function byFields(naturalKey: (uids: ResolvedUids) => string): ByFields {
  return {
    by: "fields",
    naturalKey,
    recognizable: (fields) => fields,
    contested: (targets) => (targets.length === 0 ? undefined : targets.join(" | ")),
    expirationOf: () => "",
    createdAgain: true,
  };
}

/**
 * How the code gets into a Secret that the platform returns only when the resource is created. Such a resource is created once:
 * it is never changed or adopted, and not created again after it is gone.
 */
export interface IssuedCode<R extends Resource = Resource, E extends ExternalResource = ExternalResource> {
  /** The field of the spec that names the Secret, for messages. */
  readonly specPath: string;
  /** The name of the Secret, in the namespace of the object. */
  secretNameOf(resource: R): string;
  /** Returns the fields that the resource is created with, as `desired`: they depend on nothing else. */
  fields(resource: R, uids: ResolvedUids): Fields;
  /** Whether the platform deletes the resource when somebody uses its code. */
  endsWhenUsed(resource: R): boolean;
  /** Returns `body` for a resource that is to expire this many milliseconds, more than 0, after the request. */
  expiringAt(body: Fields, lifetimeMs: number): Fields;
  /** When the resource expires on the platform, as it returns it; empty if that is not known. */
  expirationOf(external: E): string;
  /** The code in the response to the create request. */
  codeOf(created: E): string;
}

/** Equal resources are legitimate, and differ: the Secret with the code of one names it. */
export interface BySecret<R extends Resource = Resource, E extends ExternalResource = ExternalResource>
  extends Recognition {
  readonly by: "secret";
  readonly code: IssuedCode<R, E>;
}

export function bySecret<R extends Resource, E extends ExternalResource>(code: IssuedCode<R, E>): BySecret<R, E> {
  return {
    by: "secret",
    code,
    // Nothing but its uid identifies a resource. A request is known by its object.
    naturalKey: (_uids, marker) => marker,
    recognizable: (fields) => fields,
    // Each needs a Secret of its own; apart from that, equal ones are legitimate.
    contested: (_targets, _name, secret) => secret,
    expirationOf: (external) => code.expirationOf(external as E),
    createdAgain: false,
  };
}
