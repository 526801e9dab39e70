import { hash as digest } from "node:crypto";

/**
 * Every resource that Muster manages carries a marker at the end of its description, if it has one:
 * ` [muster:<owner, 8 hex>-<object, 16 hex>]`, or with `+` for `-` if the resource was adopted. The marker can be computed
 * at any time, so it needs no write; it survives a lost status, a restored backup and a cluster rebuilt from its manifests.
 * A manifest that is copied elsewhere has another marker. People may add text after a marker: it is found anywhere, and
 * the last one counts. A description in a spec cannot contain one.
 */
const markers = / ?\[muster:[0-9a-f]{8}[-+][0-9a-f]{16}\]/g;
const opening = "[muster:";
const markerAt = /\[muster:([0-9a-f]{8})([-+])([0-9a-f]{16})\]/y;

/** The maximum length of a description on the platform, in characters, including the marker. */
export const maxDescriptionLength = 512;

/**
 * The part of a marker that identifies the owner: the cluster, by its owner id, and the class of the operator, so that two
 * operators of one cluster do not take each other's resources for their own.
 */
export function ownerHash(ownerId: string, operatorClass = ""): string {
  return hash(operatorClass === "" ? ownerId : `${ownerId}\0${operatorClass}`, 8);
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

/** The part of `marker` that identifies the owner. */
export function ownerOf(marker: string): string {
  return marker.slice(0, marker.indexOf("-"));
}

/** The marker in `description`, as returned by `markerOf`, whether the resource was created or adopted. */
export function markerIn(description: string): string | undefined {
  const last = lastMatch(description);
  return last === undefined ? undefined : markerOf(last[1] ?? "", last[3] ?? "");
}

/** Whether the marker in `description` says that the resource existed before Muster managed it. */
export function saysAdopted(description: string): boolean {
  return lastMatch(description)?.[2] === "+";
}

/** The marker in the description of an external resource. */
export function carriedMarker({ description }: { readonly description?: string }): string | undefined {
  return description === undefined ? undefined : markerIn(description);
}

/** The description as people see it. */
export function withoutMarker(description: string): string {
  return description.replace(markers, "");
}

/** @param adopted whether the resource existed before Muster managed it. */
export function withMarker(description: string, marker: string, adopted = false): string {
  const suffix = `[muster:${adopted ? marker.replace("-", "+") : marker}]`;
  return description === "" ? suffix : `${description} ${suffix}`;
}

/** Whether a description leaves room for the marker. The platform counts characters, not UTF-16 code units. */
export function markerFitsIn(description: string, marker: string): boolean {
  return Array.from(withMarker(description, marker)).length <= maxDescriptionLength;
}

/** Searches from the end, because descriptions are examined many times for each object, and most markers are at the end. */
function lastMatch(description: string): RegExpExecArray | undefined {
  for (let end = description.length; end >= 0; ) {
    const start = description.lastIndexOf(opening, end);
    if (start === -1) return undefined;
    markerAt.lastIndex = start;
    const match = markerAt.exec(description);
    if (match !== null) return match;
    end = start - 1;
  }
  return undefined;
}

function hash(text: string, digits: number): string {
  return digest("sha256", text, "hex").slice(0, digits);
}
