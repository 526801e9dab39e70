// Copies the resources of one platform to another through their APIs: the way out for a platform whose data a newer commit refuses.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { readCommandLine } from "#test/support/command-line.ts";

const usage = `Usage: node scripts/copy-platform.ts --from URL --from-token-file FILE --to URL --to-token-file FILE --registry FILE

Copies groups, identities, roles, role bindings, identity providers and account associations of a running platform to another one,
which must be empty, and writes the repos, tags and advisories to FILE, for muster platform load. Both tokens are those of an admin.
Resources get new uids. Prints what could not be copied, and exits with 1 then.
`;

interface Platform {
  readonly url: string;
  readonly token: string;
}

type Resource = Readonly<Record<string, unknown>> & {
  readonly uid: string;
  readonly name?: string;
  readonly nextPageToken?: string;
};

const options = readCommandLine({ name: "copy-platform", usage }, (args) => {
  const text = { type: "string" } as const;
  const names = ["from", "from-token-file", "to", "to-token-file", "registry"] as const;
  const { values } = parseArgs({ args: [...args], options: Object.fromEntries(names.map((name) => [name, text])) });
  const read = (name: (typeof names)[number]) => {
    const value = values[name];
    if (value === undefined) throw new Error(`--${name} is required`);
    return value;
  };
  const platform = (url: string, file: string): Platform => ({ url, token: readFileSync(file, "utf8").trim() });
  return {
    from: platform(read("from"), read("from-token-file")),
    to: platform(read("to"), read("to-token-file")),
    registry: read("registry"),
  };
});
const { from, to } = options;

/** The uids on the new platform, by those on the old one. */
const uids = new Map<string, string>();
const counts = new Map<string, number>();
const failures: string[] = [];
/** What the platform sets, and a request therefore does not contain. */
const readOnly = ["uid", "createTime", "updateTime", "lastSeenTime"];

async function call({ url, token }: Platform, verb: string, path: string, body?: object): Promise<Resource> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(url + path, { method: verb, headers, ...(body && { body: JSON.stringify(body) }) });
  const json = (await response.json()) as Resource & { readonly message?: string };
  if (!response.ok) throw new Error(`${verb} ${path}: ${json.message}`);
  return json;
}

/** All resources of a collection, ordered by uid, so that a group precedes what is below it. */
async function all(platform: Platform, path: string): Promise<readonly Resource[]> {
  const resources: Resource[] = [];
  const collection = path.slice(path.lastIndexOf("/") + 1);
  const filters = collection === "tags" ? "&include_referrers=true&include_dates=true&include_epochs=true" : "";
  for (let token = ""; ; ) {
    const query = `order_by=uid&page_size=200&page_token=${encodeURIComponent(token)}${filters}`;
    const page = await call(platform, "GET", `${path}?${query}`);
    resources.push(...(page[collection] as readonly Resource[]));
    if (page.nextPageToken === undefined) return resources;
    token = page.nextPageToken;
  }
}

const parentOf = (uid: string) => uid.slice(0, Math.max(0, uid.lastIndexOf("/")));
const without = (resource: object, fields: readonly string[]) =>
  Object.fromEntries(Object.entries(resource).filter(([field]) => !fields.includes(field)));

/** @throws Error if the resource was not copied */
function copied(uid: unknown): string {
  const found = uids.get(String(uid));
  if (found === undefined) throw new Error(`${String(uid)} was not copied`);
  return found;
}

/** @param parent the uid of the parent on the old platform */
async function copy(path: string, resource: Resource, parent: string, body: () => object): Promise<void> {
  try {
    const created = await call(to, "POST", `${path}/${parent === "" ? "" : copied(parent)}`.replace(/\/$/, ""), body());
    uids.set(resource.uid, created.uid);
    counts.set(path, (counts.get(path) ?? 0) + 1);
  } catch (error) {
    failures.push(`${path}/${resource.uid} (${resource.name ?? ""}): ${(error as Error).message}`);
  }
}

const groups = await all(from, "/iam/v2beta1/groups");
const roots = groups.filter(({ uid }) => parentOf(uid) === "");
const [first] = roots.toSorted((a, b) => (String(a["createTime"]) < String(b["createTime"]) ? -1 : 1));
const [root, ...others] = await all(to, "/iam/v2beta1/groups");
if (first === undefined || root === undefined || others.length > 0) throw new Error("--to: the platform is not empty");
await call(to, "PATCH", `/iam/v2beta1/groups/${root.uid}`, without(first, readOnly));
uids.set(first.uid, root.uid);
for (const group of groups.filter(({ uid }) => uid !== first.uid))
  await copy("/iam/v2beta1/groups", group, parentOf(group.uid), () => without(group, readOnly));

const builtIn = new Map((await all(to, "/iam/v2beta1/roles")).map(({ name, uid }) => [name, uid]));
for (const role of await all(from, "/iam/v2beta1/roles"))
  if (parentOf(role.uid) === "") uids.set(role.uid, builtIn.get(role.name) ?? "");
  else await copy("/iam/v2beta1/roles", role, parentOf(role.uid), () => without(role, readOnly));

for (const identity of await all(from, "/iam/v2beta1/identities"))
  await copy("/iam/v2beta1/identities", identity, parentOf(identity.uid), () => without(identity, readOnly));
for (const provider of await all(from, "/iam/v2beta1/identityProviders"))
  await copy("/iam/v2beta1/identityProviders", provider, parentOf(provider.uid), () => ({
    ...without(provider, readOnly),
    defaultRole: copied(provider["defaultRole"]),
  }));
// An association has the uid of its group.
for (const association of await all(from, "/iam/v2beta1/accountAssociations"))
  await copy("/iam/v2beta1/accountAssociations", { ...association, uid: `${association.uid}/` }, association.uid, () =>
    without(association, readOnly),
  );
for (const binding of await all(from, "/iam/v2beta1/roleBindings"))
  await copy("/iam/v2beta1/roleBindings", binding, parentOf(binding.uid), () => {
    const { identity, role } = binding as unknown as Record<"identity" | "role", Resource>;
    return { identityUid: copied(identity.uid), roleUid: copied(role.uid) };
  });

const invites = await all(from, "/iam/v2beta1/groupInvites");
if (invites.length > 0) failures.push(`${invites.length} group invites: their codes cannot be read`);

const repos = await all(from, "/registry/v2beta1/repos");
const repoNames = new Map(repos.map(({ uid, name }) => [uid, name]));
const documents: object[] = [];
const document = (kind: string, resource: Resource, group: string, fields: object) => {
  const replacer = (field: string, value: unknown) => (field === "uid" ? undefined : value);
  try {
    documents.push(JSON.parse(JSON.stringify({ kind, group: copied(group), ...fields }, replacer)) as object);
  } catch (error) {
    failures.push(`${kind} ${resource.uid} (${resource.name ?? ""}): ${(error as Error).message}`);
  }
};
for (const repo of repos) document("Repo", repo, parentOf(repo.uid), without(repo, readOnly));
for (const tag of await all(from, "/registry/v2beta1/tags")) {
  const repo = parentOf(tag.uid);
  document("Tag", tag, parentOf(repo), { ...without(tag, readOnly), repo: repoNames.get(repo) });
}
for (const advisory of await all(from, "/vulnerabilities/v2beta1/advisories"))
  document("Advisory", advisory, parentOf(advisory.uid), advisory);
writeFileSync(options.registry, documents.map((one) => `${JSON.stringify(one)}\n`).join(""));

for (const [path, count] of counts) process.stdout.write(`${path}: ${count} copied\n`);
process.stdout.write(`${options.registry}: ${documents.length} repos, tags and advisories\n`);
for (const failure of failures) process.stderr.write(`not copied: ${failure}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
