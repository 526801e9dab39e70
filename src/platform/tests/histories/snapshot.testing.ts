import type { RebuiltAccess } from "#src/platform/audit/rebuilt-access.ts";
import type { Client, Json } from "../running-platform.testing.ts";

/** What existed, as the API shows it, by type and uid, without what records leave out. */
export type Snapshot = ReadonlyMap<string, unknown>;

const types = [
  ["groups", "group"],
  ["identities", "identity"],
  ["roles", "role"],
  ["roleBindings", "role binding"],
  ["identityProviders", "identity provider"],
  ["groupInvites", "group invite"],
] as const;

/** Secrets, times, what is personal, and copies of other resources. */
const leftOut = new Set([
  "uid",
  "createTime",
  "updateTime",
  "lastSeenTime",
  "person",
  "clientSecret",
  "code",
  "email",
  "ttl",
]);

export async function snapshotOf(admin: Client): Promise<Snapshot> {
  const snapshot = new Map<string, unknown>();
  for (const [collection, type] of types) {
    let token = "";
    do {
      const query = `page_size=200&page_token=${encodeURIComponent(token)}`;
      const page = await admin.ok("GET", `/iam/v2beta1/${collection}?${query}`);
      for (const resource of page[collection] as readonly Json[])
        snapshot.set(`${type} ${resource.uid}`, normalized(type === "role binding" ? flatBinding(resource) : resource));
      token = page.nextPageToken ?? "";
    } while (token !== "");
  }
  return snapshot;
}

function flatBinding({ uid, identity, role }: Json): object {
  return { uid, identityUid: (identity as Json).uid, roleUid: (role as Json).uid };
}

/** The paths of the fields that the records leave unknown, by type and uid. */
export type UnknownFields = ReadonlyMap<string, ReadonlySet<string>>;

export function unknownIn(rebuilt: RebuiltAccess): UnknownFields {
  const unknown = new Map<string, ReadonlySet<string>>();
  for (const [type, states] of rebuilt)
    for (const [uid, state] of states) if (state.unknown.size > 0) unknown.set(`${type} ${uid}`, state.unknown);
  return unknown;
}

/** The snapshot without the fields that are unknown. */
export function without(snapshot: Snapshot, unknown: UnknownFields): Snapshot {
  return new Map(
    [...snapshot].map(([key, resource]) => {
      const copy = structuredClone(resource) as Record<string, unknown>;
      for (const path of unknown.get(key) ?? []) deleteField(copy, path.split("."));
      return [key, normalized(copy)];
    }),
  );
}

function deleteField(resource: Record<string, unknown>, [name = "", ...inner]: readonly string[]): void {
  const value = resource[name];
  if (inner.length === 0) delete resource[name];
  else if (typeof value === "object" && value !== null) deleteField(value as Record<string, unknown>, inner);
}

/** The rebuilt resources in the form of a snapshot. */
export function snapshotFrom(rebuilt: RebuiltAccess): Snapshot {
  const snapshot = new Map<string, unknown>();
  for (const [type, states] of rebuilt)
    for (const [uid, { fields }] of states) snapshot.set(`${type} ${uid}`, normalized(nested(fields)));
  return snapshot;
}

function nested(fields: ReadonlyMap<string, unknown>): object {
  const whole: Record<string, unknown> = {};
  for (const [path, value] of fields) {
    const names = path.split(".");
    let inner = whole;
    for (const name of names.slice(0, -1)) inner = (inner[name] ??= {}) as Record<string, unknown>;
    inner[names.at(-1) ?? ""] = value;
  }
  return whole;
}

/** Without fields that have their default values, which JSON may show or not. */
function normalized(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalized);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(([name]) => !leftOut.has(name) && !(name === "role" && "roleUid" in value))
    .map(([name, inner]) => [name, name === "expirationTime" ? Date.parse(String(inner)) : normalized(inner)] as const)
    .filter(([, inner]) => !isDefault(inner));
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isDefault(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false || value === 0) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** The keys of the resources in which two snapshots differ, with both sides. */
export function differencesOf(expected: Snapshot, found: Snapshot): string[] {
  return [...new Set([...expected.keys(), ...found.keys()])].flatMap((key) => {
    const [there, rebuilt] = [JSON.stringify(expected.get(key)), JSON.stringify(found.get(key))];
    return there === rebuilt ? [] : [`${key}: the API showed ${there}, the records say ${rebuilt}`];
  });
}
