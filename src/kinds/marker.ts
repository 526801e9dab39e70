import { hash as digest } from "node:crypto";

/**
 * Every resource that Muster creates carries a marker at the end of its description, if it has one:
 * ` [muster:<owner, 8 hex>-<object, 16 hex>]`. The marker can be computed at any time, so it needs no write; it survives
 * a lost status, a restored backup and a cluster rebuilt from its manifests. A manifest that is copied elsewhere has
 * another marker.
 */
const pattern = / ?\[muster:([0-9a-f]{8}-[0-9a-f]{16})\]$/;

/** The maximum length of a description on the platform, in characters, including the marker. */
export const maxDescriptionLength = 512;

/** The part of a marker that identifies the owner: the cluster, by its owner id. */
export function ownerHash(ownerId: string): string {
  return hash(ownerId, 8);
}

/** @param owner as returned by `ownerHash`. @param object as returned by `objectHash`. */
export function markerOf(owner: string, object: string): string {
  return `${owner}-${object}`;
}

/** The part of a marker that identifies the object, whoever owns it. */
export function objectHash(kind: string, namespace: string, name: string): string {
  return hash(`${kind}\0${namespace}\0${name}`, 16);
}

/** The object hash in `marker`. */
export function objectOf(marker: string): string {
  return marker.slice(marker.indexOf("-") + 1);
}

/** The marker at the end of `description`. */
export function markerIn(description: string): string | undefined {
  return pattern.exec(description)?.[1];
}

/** The marker of an external resource, at the end of its description. */
export function carriedMarker({ description }: { readonly description?: string }): string | undefined {
  return description === undefined ? undefined : markerIn(description);
}

/** The description as people see it. */
export function withoutMarker(description: string): string {
  return description.replace(pattern, "");
}

export function withMarker(description: string, marker: string): string {
  const suffix = `[muster:${marker}]`;
  return description === "" ? suffix : `${description} ${suffix}`;
}

function hash(text: string, digits: number): string {
  return digest("sha256", text, "hex").slice(0, digits);
}
