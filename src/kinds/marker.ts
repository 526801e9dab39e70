import { hash as digest } from "node:crypto";

/**
 * What we create carries a marker at the end of its description: ` [muster:<owner, 8 hex>-<object, 16 hex>]`. It can be
 * computed at any time, so it needs no write, and it survives a lost status, a restored backup and a cluster rebuilt
 * from its manifests; a manifest that is copied elsewhere has another one.
 */
const pattern = / ?\[muster:([0-9a-f]{8}-[0-9a-f]{16})\]$/;

/** What a description may hold on the platform, the marker included. */
export const maxDescriptionLength = 512;

/** The part of a marker that tells who owns the thing: of the cluster, whatever it is called. */
export function ownerHash(ownerId: string): string {
  return hash(ownerId, 8);
}

/** @param owner, object hashes, as by `ownerHash` and `objectHash` */
export function markerOf(owner: string, object: string): string {
  return `${owner}-${object}`;
}

/** The part of a marker that tells which object it is, whoever owns it. */
export function objectHash(kind: string, namespace: string, name: string): string {
  return hash(`${kind}\0${namespace}\0${name}`, 16);
}

export function objectOf(marker: string): string {
  return marker.slice(marker.indexOf("-") + 1);
}

export function markerIn(description: string): string | undefined {
  return pattern.exec(description)?.[1];
}

/** The description as people wrote it. */
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
