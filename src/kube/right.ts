/** A request that RBAC may permit. */
export interface Right {
  /** For a role, also several, separated by commas. */
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** For a role, also several, separated by commas. Absent: of every name. */
  readonly name?: string;
  /** Absent: in every namespace, or of a cluster-scoped resource. */
  readonly namespace?: string;
}

/** The right as people write it: `patch groups.iam.muster.dev/status`. */
export function rightText(right: Right): string {
  return `${right.verb} ${objectText(right)}`;
}

/** Many rights: objects for which the same verbs are needed stand together, `get, list groups, tenants; patch groups/status`. */
export function rightsText(rights: readonly Right[]): string {
  const verbs = Map.groupBy(rights, objectText);
  const objects = Map.groupBy(verbs.keys(), (object) =>
    verbs
      .get(object)
      ?.map(({ verb }) => verb)
      .join(", "),
  );
  return [...objects].map(([needed, named]) => `${needed} ${named.join(", ")}`).join("; ");
}

function objectText(right: Right): string {
  const { name, namespace } = right;
  return `${resourceText(right)}${name === undefined ? "" : ` ${name}`}${namespace === undefined ? "" : ` in ${namespace}`}`;
}

/**
 * The commands of kubectl that give a user the right: a role, and its binding.
 * @param role the name of both. @param user as Kubernetes names it, such as `system:serviceaccount:NAMESPACE:NAME`.
 */
export function grantCommands(right: Right, role: string, user: string): string {
  const { verb, name, namespace } = right;
  const kind = namespace === undefined ? "clusterrole" : "role";
  const place = namespace === undefined ? "" : ` -n ${shellWord(namespace)}`;
  const account = /^system:serviceaccount:([^:]+:[^:]+)$/.exec(user)?.[1];
  const subject = account === undefined ? `--user=${shellWord(user)}` : `--serviceaccount=${account}`;
  const names = (name?.split(",") ?? []).map((one) => ` --resource-name=${shellWord(one)}`).join("");
  const called = shellWord(role);
  return `kubectl create ${kind}${place} ${called} --verb=${verb} --resource=${resourceText(right)}${names} && kubectl create ${kind}binding${place} ${called} --${kind}=${called} ${subject}`;
}

/** The user whom a refusal of the RBAC authorizer names. */
export function refusedUser(refusal: string): string | undefined {
  return /User "([^"]+)"/.exec(refusal)?.[1];
}

/** `word` as a shell takes it: people copy the commands, and somebody else may have written the word. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function resourceText({ group, resource, subresource }: Right): string {
  return `${group === "" ? resource : `${resource}.${group}`}${subresource === undefined ? "" : `/${subresource}`}`;
}
