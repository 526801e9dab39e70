import { beforeAll, expect, it, vi } from "vitest";
import { Agent, request } from "undici";
import { apiVersion } from "#src/api/custom-resource.ts";
import { type AcceptedClaims, findOpenAccess, publicIssuers } from "#src/api/public-issuers.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { applyDefinitions } from "./definitions.ts";
import { kustomize } from "./kustomize.ts";

const uid = "0123456789abcdef0123456789abcdef01234567";
const github = "https://token.actions.githubusercontent.com";
/** The last one is in the list, too: it must not warn twice. */
const additional = [
  "https://issuer-1.example.com",
  "https://issuer-2.example.com",
  "https://issuer-3.example.com",
  "https://gitlab.com",
] as const;

const cases: readonly AcceptedClaims[] = [
  ...Object.keys(publicIssuers).map((issuer) => ({ issuer, subjectPattern: "^.*$" })),
  ...[".*", ".+", "[\\s\\S]*", "(?s).*", ".{1,}", "mine|.*", "\\S+", "repo:.*", "repo:[^:]+:ref:refs/heads/main"].map(
    (subjectPattern) => ({ issuer: github, subjectPattern }),
  ),
  { issuer: github, subjectPattern: "repo:example/.*" },
  { issuer: github, subjectPattern: "repo:(example|example-labs)/shop:.*" },
  { issuer: github, subject: "repo:example/shop:pull_request" },
  { issuer: "https://accounts.google.com", subjectPattern: "\\d+" },
  { issuer: "https://accounts.google.com", subjectPattern: "117\\d+" },
  { issuer: "https://accounts.google.com", subjectPattern: "108256421937560192838|108256421937560192839" },
  // They exclude the examples of strangers, not strangers.
  ...["repo:[^a].*", "repo:[b-z]+/.*", ".*:environment:staging", "repo:acme.*", "repo:(acme/)?[b-z].*"].map(
    (subjectPattern) => ({ issuer: github, subjectPattern }),
  ),
  // With what a match begins is not certain, or the pattern is no expression between parentheses.
  ...["(?:repo:acme/)\\Q\\E?repo:evil/.*", "(?i)repo:acme/.*", "repo:acme/.*?:x", "\\Qrepo:acme/"].map(
    (subjectPattern) => ({
      issuer: github,
      subjectPattern,
    }),
  ),
  { issuer: "https://GitLab.com/", subjectPattern: "project_path:.*" },
  { issuer: `${github}/`, subjectPattern: "repo:example/.*" },
  { issuer: github, subjectPattern: "^repo:example(-labs)?/shop:ref:refs/heads/(main|release-[0-9.]+)$" },
  { issuer: github, subjectPattern: "repo:example/shop:environment:prüf(ung|stand)" },
  { issuer: "https://issuer.example.com", subjectPattern: ".*" },
  ...additional.map((issuer) => ({ issuer, subjectPattern: ".*" })),
  { issuerPattern: "https://issuer[.]example[.]com/.*", subjectPattern: ".*" },
  { issuerPattern: `https://issuer[.]example[.]com|${github}`, subjectPattern: "repo:.*" },
  { issuerPattern: "https://issuer[.]example[.]com/.*", subjectPattern: "repo:.*" },
  { issuerPattern: ".*", subject: "repo:example/shop:pull_request" },
  { issuer: github, subjectPattern: ".*", claims: { repository_owner_id: "42" } },
  { issuer: github, subjectPattern: ".*", claimPatterns: { repository_owner: "example" } },
  { issuer: github, subjectPattern: ".*", claimPatterns: { repository_owner: ".+" } },
  { issuer: github, subjectPattern: ".*", claimPatterns: { repository_owner: ".+", environment: "prod" } },
  { issuer: github, subjectPattern: ".*", claimPatterns: { repository_owner: "[b-r].*" } },
  { issuer: github, subjectPattern: ".*", claims: { environment: "production" } },
  { issuer: github, subjectPattern: ".*", claimPatterns: { ref: "refs/heads/.*" } },
  { issuer: "https://accounts.google.com", subjectPattern: ".*", claims: { hd: "example.com" } },
  { issuerPattern: "https://.*", subjectPattern: ".*", claims: { repository_owner_id: "42" } },
  { issuer: github, subjectPattern: ".*", claimPatterns: { repository_owner: "\\Qexample" } },
  { issuerPattern: "(?i)https://issuer[.]example[.]com/.*", subjectPattern: "repo:example/.*" },
];

/** Certain for the operator, and too complicated for the policy. */
const complicated = ["repo:example/a.*|repo:example/b", "repo:example/((a|b)c)?.*"];

describeWithControlPlane("the admission policy muster-public-issuers", (controlPlane) => {
  let agent: Agent;

  beforeAll(async () => {
    const { admin, ca } = controlPlane();
    agent = new Agent({ connect: { ca } });
    await applyDefinitions(admin);
    for (const object of await baseWithAdditional()) await admin.apply(object);
    // The API server starts to enforce a policy a moment after its creation.
    const last = { issuer: additional[2], subjectPattern: ".*" };
    await vi.waitFor(async () => expect(await warningsOf(identity(last))).toHaveLength(1), {
      timeout: 60_000,
      interval: 100,
    });
    return () => agent.close();
  });

  /** Sends a write as a dry run. @returns the warnings that kubectl would print */
  async function warningsOf(object: KubeObject, method: "POST" | "PUT" = "POST"): Promise<readonly string[]> {
    const { url, adminToken } = controlPlane();
    const path = `/apis/${apiVersion}/namespaces/default/identities${method === "PUT" ? `/${object.metadata.name}` : ""}`;
    const { statusCode, headers, body } = await request(`${url}${path}?dryRun=All`, {
      dispatcher: agent,
      method,
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      body: JSON.stringify(object),
    });
    const text = await body.text();
    expect([200, 201], text).toContain(statusCode);
    // Each is a header of its own, and the client may join them.
    return [headers["warning"] ?? []].flat().flatMap((header) => header.match(/\b299 - "(?:[^"\\]|\\.)*"/g) ?? []);
  }

  function identity(claimMatch: AcceptedClaims, metadata: object = {}): KubeObject {
    const spec = { groupUid: uid, claimMatch };
    return { apiVersion, kind: "Identity", metadata: { name: "example", namespace: "default", ...metadata }, spec };
  }

  it.each(cases.map((claimMatch) => [JSON.stringify(claimMatch), claimMatch] as const))(
    "warns exactly if the operator would: %s",
    async (_, claimMatch) => {
      const access = findOpenAccess(claimMatch, additional);
      const warnings = await warningsOf(identity(claimMatch));
      if (access === undefined) expect(warnings).toEqual([]);
      else {
        expect(warnings).toHaveLength(1);
        expect(warnings[0]).toMatch(/strangers (?:can|may be able to) assume this identity/);
        if (access.example !== undefined) expect(warnings[0]).toContain(`such as ${access.example}.`);
      }
    },
  );

  it.each(complicated)(
    "warns of a pattern of another form, although the operator does not: %s",
    async (subjectPattern) => {
      const claimMatch = { issuer: github, subjectPattern };
      expect(findOpenAccess(claimMatch)).toBeUndefined();
      expect(await warningsOf(identity(claimMatch))).toHaveLength(1);
    },
  );

  it("is both silent and not silent in these cases", () => {
    const open = cases.filter((claimMatch) => findOpenAccess(claimMatch, additional) !== undefined);
    expect(open.length).toBeGreaterThan(20);
    expect(cases.length - open.length).toBeGreaterThan(5);
  });

  it("is silent about other kinds of identities", async () => {
    const object = identity({});
    const spec = { groupUid: uid, serviceAccountRef: { name: "example" } };
    expect(await warningsOf({ ...object, spec })).toEqual([]);
  });

  it("warns again only of a change of the spec", async () => {
    const { admin } = controlPlane();
    const open = { issuer: github, subjectPattern: ".*" };
    const stored = await admin.create(identity(open, { name: "stored" }));
    const labelled = { ...stored, metadata: { ...stored.metadata, labels: { a: "b" } } };
    expect(await warningsOf(labelled, "PUT")).toEqual([]);
    const changed = { ...stored, spec: { ...stored["spec"], description: "changed" } };
    expect(await warningsOf(changed, "PUT")).toHaveLength(1);
  });

  // Last, because this API server does not watch ConfigMaps for policies again. If this fails with another version of Kubernetes,
  // docs/operate/uninstall.md has to change.
  it("warns after Helm's uninstall and a new installation, of additional issuers once the API server restarts", async () => {
    const { admin } = controlPlane();
    const base = await baseWithAdditional();
    const settings = base.filter(({ kind }) => kind === "ConfigMap");
    const policies = base.filter(({ metadata }) => metadata.name.endsWith("public-issuers"));
    const warnings = async (issuer = github) => (await warningsOf(identity({ issuer, subjectPattern: ".*" }))).join();
    const expectWarning = (from: string, issuer?: string) =>
      vi.waitFor(async () => expect(await warnings(issuer)).toContain(`'${from}'`), { timeout: 60_000, interval: 100 });
    // The API server learns changes of policies and of bindings in their order: once it acts by a later policy, it knows the earlier ones.
    const learned = async (later: string) => {
      for (const object of warningAlways(later, policies)) await admin.apply(object);
      await expectWarning(later);
    };
    expect(await warnings()).toContain("'muster-public-issuers'");
    // Helm deletes kinds that it does not know last.
    for (const object of [...settings, ...policies]) await admin.delete(object);
    await learned("uninstalled");
    for (const object of [...settings, ...policies]) await admin.apply(object);
    await learned("installed");
    expect(await warnings()).toContain("'muster-public-issuers'");
    expect(await warnings(additional[0])).not.toContain("muster-public-issuers");
    await controlPlane().restartApiServer();
    await expectWarning("muster-public-issuers", additional[0]);
  });
});

/** The operator's manifests, with a setting that adds issuers to the list. */
async function baseWithAdditional(): Promise<readonly KubeObject[]> {
  const added = { MUSTER_PUBLIC_ISSUER: `${additional[0]}, ${additional[1]};\n${additional[2]}\n${additional[3]}` };
  const objects = await kustomize("base");
  return objects.map((one) => (one.kind === "ConfigMap" ? { ...one, data: { ...one["data"], ...added } } : one));
}

/** A policy without parameters that warns of what another one is about, and its binding. */
function warningAlways(name: string, policies: readonly KubeObject[]): readonly KubeObject[] {
  return policies.map(({ apiVersion: version, kind, spec: { matchConstraints } }) => {
    const spec = kind.endsWith("Binding")
      ? { policyName: name, validationActions: ["Warn"] }
      : { failurePolicy: "Fail", matchConstraints, validations: [{ expression: "false", message: name }] };
    return { apiVersion: version, kind, metadata: { name }, spec };
  });
}
