/** What an error of a command means, and what to do, where its message has no room for it. Markdown, with links from docs/reference/. */
export interface Explanation {
  readonly meaning: string;
  /** What to look at, the likely one first. */
  readonly fixes: readonly string[];
}

/** The paragraphs of docs/reference/errors.md, by their anchors. An error is explained by at most one. */
export const explanations = {
  "not-logged-in": {
    meaning:
      "The command needs a token of the platform. You have not logged in, or the platform no longer accepts your token.",
    fixes: [
      "Log in: `muster login --platform-url URL --group UID`. Whoever gives you access knows the platform's base URL and the uid of your group. After the first time, `muster login` is enough. [Log in from the command line](../how-to/command-line.md) explains the rest.",
      "A login ends after 24 hours (`--login-lifetime` of the platform), when somebody ends it, and when two machines use copies of the same `credentials.json`.",
      "A script has no login. Give it `--platform-url` and `--token-file` with a token that [it exchanged](../how-to/ci-identities.md).",
      "With `--token-file`, write a new token into the file: a token is valid for an hour. `muster bootstrap` needs an [admin token](../operate/keys.md#the-admin-tokens) that has not been rotated.",
    ],
  },
  "login-refused": {
    meaning: "The platform or the identity provider refused the login, or the browser did not finish it in time.",
    fixes: [
      "Look the message up in [When a login fails](../how-to/log-in.md#when-a-login-fails): it has the identity provider's side as well.",
      "If the browser is on another machine, or never shows that the login is complete, use `muster login --headless`.",
      "An invite that was used or has expired is refused: ask for another one.",
    ],
  },
  "permission-denied": {
    meaning:
      "Your identity lacks a permission on the platform. What you may not see looks as if it did not exist, so a name can be unknown for the same reason.",
    fixes: [
      "`muster whoami` prints your identity and its roles. If it is the wrong one, give `--platform-url`, or log in again: without it, the last login counts.",
      "Ask an owner of the group, or of a group above, to bind a role to that identity. `viewer` on the root group is enough for every command that only reads, except that `muster access unused` needs `audit.list`, which `owner` has.",
      "`muster access who-can role_bindings.create --group GROUP` prints who can grant it, as far as you may see.",
    ],
  },
  "exchange-refused": {
    meaning: "The token service did not accept the workload's own token for this identity.",
    fixes: [
      "Compare the issuer, subject and audience in the message with `status.exchange` of the Identity, or with its `claimMatch` on the platform. [Diagnose](../workloads.md#diagnose) lists the agent's messages with their fixes.",
      "The platform does not tell callers what differs. Its log does, in the `mismatch` of the lines `call refused`, and so does [the security log](../operate/security-log.md).",
      "For the operator, `muster bootstrap --take-over`, with the flags of the first time, corrects the identity. Use it if the cluster has a new issuer.",
    ],
  },
  "platform-unavailable": {
    meaning: "No valid response came from the platform or its token service.",
    fixes: [
      "Open the address in the message: `curl --include URL/readyz` must print 200. A page of HTML comes from a proxy or an ingress in between.",
      "`self-signed certificate`, or another message about a certificate: name the authority in `NODE_EXTRA_CA_CERTS`, or with `--platform-ca` or `MUSTER_PLATFORM_CA` where the command has it.",
      "A connection that is refused or gets no response: check `HTTPS_PROXY` and `NO_PROXY` ([proxies](../operate/proxies.md)), and in a pod the NetworkPolicies.",
      "`--auth-url` is the token service, if it has another address than the platform.",
      "If you operate the platform, see [MusterPlatformDown](../operate/platform-alerts.md#musterplatformdown).",
    ],
  },
  "cluster-access": {
    meaning: "The Kubernetes API did not respond, or refused a read that the command needs.",
    fixes: [
      "Check which cluster it is: `kubectl config current-context`. `--context` and `--kubeconfig` select another one.",
      "`forbidden`: ask for the verb on the resource that the message names. The ClusterRole `view` includes Muster's objects, in all namespaces if you bind it with a ClusterRoleBinding; `muster-tenant-admin` includes Tenants, and the right to change them.",
      "No CRDs: install `crds/`, or correct the context.",
      "Without access to a cluster, `muster plan --offline` and `muster access --no-cluster` do with less.",
    ],
  },
  "owner-id": {
    meaning:
      "The owner id says which cluster a resource on the platform belongs to. The command does not know yours, or another cluster records the same one. Nothing was written.",
    fixes: [
      "Give the operator's own: `--owner-id ID`. It is in `status.ownerId` of each Tenant, and in the settings of the operator if you chose one. By default, it is the uid of the namespace `kube-system`.",
      "Two clusters share the id: give one of them another id. Otherwise each would delete what the other declares.",
      "This cluster replaces the other one, or has a new issuer: stop the old operator, then add `--take-over`. See [rebuilding a cluster](../operate/owner-id.md#rebuilding-a-cluster-from-git).",
    ],
  },
  "platform-data": {
    meaning: "The platform's database cannot be opened or does not respond.",
    fixes: [
      "Another process uses the SQLite file: stop it. In a cluster, scale the platform to 0 and use [a maintenance pod](../operate/disaster-recovery.md#a-maintenance-pod).",
      "PostgreSQL is unreachable: check the URL, its password and the network, for example with `psql`.",
      "The data has a newer schema than this version knows: run the newer version. To go back to this one, [restore the backup](../operate/upgrade.md) that you made before the upgrade.",
      "The file is damaged: [restore a backup](../operate/disaster-recovery.md#the-platforms-data).",
    ],
  },
  "operator-not-ready": {
    meaning: "The operator runs and has not read all its objects yet, or it does not run.",
    fixes: [
      '`kubectl -n muster-system get pods` and `kubectl -n muster-system logs deployment/muster-operator --all-pods`: the last lines with `"level":"error"` say what is missing.',
      "`muster doctor` in its pod checks the CRDs, the permissions and the platform one by one, with the fix of each: [check the installation](../how-to/find-out-why.md#the-installation).",
      "A missing CRD: install the chart `muster-crds`, or `crds/`, before the operator.",
    ],
  },
} as const satisfies Readonly<Record<string, Explanation>>;

/** The anchor of a paragraph. */
export type ExplanationName = keyof typeof explanations;
