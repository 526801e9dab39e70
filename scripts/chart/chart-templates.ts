/** A manifest of `deploy/kustomize` from which a template of the chart is made. */
export interface TemplateSource {
  /** The paths below `deploy/kustomize`. */
  readonly manifests: readonly string[];
  /** The condition under which the chart has these objects, as a template expression. */
  readonly condition?: string;
  /** The name of the named template, for objects that the chart has several times. */
  readonly define?: string;
  /** The variables of admission policies that are values of the chart, as template expressions. */
  readonly values?: Readonly<Record<string, string>>;
}

/** The templates of the chart that have the same objects as Kustomize, by their file names. */
export const templateSources: Readonly<Record<string, TemplateSource>> = {
  "operator-cluster-role.yaml": { manifests: ["base/cluster-role.yaml"] },
  "operator-lease-role.yaml": { manifests: ["base/lease-role.yaml"] },
  "user-roles.yaml": { manifests: ["base/user-roles.yaml"], condition: ".Values.userRoles" },
  "reserved-policy.yaml": { manifests: ["base/reserved-policy.yaml"] },
  "operator-writes-policy.yaml": { manifests: ["base/operator-writes-policy.yaml"] },
  "public-issuers-policy.yaml": { manifests: ["base/public-issuers-policy.yaml"] },
  "finalizer-policy.yaml": {
    manifests: ["components/admission-policy/policy.yaml", "components/admission-policy/binding.yaml"],
    condition: 'eq (include "muster.finalizerPolicy" .) "true"',
  },
  "pod-injection.yaml": {
    manifests: ["components/pod-injection/policies.yaml"],
    condition: 'eq (include "muster.podInjection" .) "true"',
    values: {
      image: 'include "muster.image" . | quote',
      requests: "toJson .Values.podInjection.requests",
      limits: "toJson .Values.podInjection.limits",
    },
  },
  "_tenant-token.tpl": {
    manifests: ["tenant-token/service-account.yaml", "tenant-token/role.yaml"],
    define: "muster.tenantToken",
  },
};

const serviceAccountName = '{{ include "muster.serviceAccountName" . }}';
const suffix = '{{ include "muster.suffix" . }}';
/** Of the service account of a Tenant, which has no name suffix: the operator derives its name from that of the Tenant. */
const tenantSuffix = "-{{ .tenant }}";

/**
 * Makes a template of manifests: the names get the name suffix of the release, the namespace becomes that of the release, and
 * the objects get its labels. Everything else stays as it is, comments included.
 * @param manifests their texts
 * @throws {Error} if a manifest contains what Helm would take for a template
 */
export function chartTemplate(source: TemplateSource, manifests: readonly string[]): string {
  const paths = source.manifests.map((path) => `deploy/kustomize/${path}`).join(" and ");
  const documents = manifests
    .flatMap((manifest) => manifest.trimEnd().split(/^---\n/m))
    .map((document) => documentTemplate(withValues(document, source.values ?? {})));
  return [
    `{{- /* Generated from ${paths} by npm run generate. Do not edit. */ -}}`,
    ...opening(source),
    documents.join("\n---\n"),
    ...(source.condition === undefined && source.define === undefined ? [] : ["{{- end }}"]),
    "",
  ].join("\n");
}

function opening({ condition, define }: TemplateSource): string[] {
  if (define !== undefined) return [`{{- define "${define}" }}`, "---"];
  return condition === undefined ? [] : [`{{- if ${condition} }}`];
}

/** Replaces the expressions of variables. @throws {Error} if a manifest contains what Helm would take for a template. */
function withValues(manifest: string, values: Readonly<Record<string, string>>): string {
  if (manifest.includes("{{")) throw new Error("a manifest of which a template is made must not contain {{");
  return manifest.replace(/^( *- name: (\w+)\n *expression: ).*$/gm, (text, start: string, name: string) =>
    values[name] === undefined ? text : `${start}{{ ${values[name]} | squote }}`,
  );
}

function documentTemplate(manifest: string): string {
  const lines = manifest.trimEnd().split("\n");
  const metadata = lines.indexOf("metadata:");
  const ownLabels = lines.indexOf("  labels:", metadata);
  const labels = '    {{- include "muster.labels" . | nindent 4 }}';
  if (ownLabels === -1) lines.splice(metadata + 1, 0, "  labels:", labels);
  else lines.splice(ownLabels + 1, 0, labels);
  return lines.map((line, index) => withReleaseNames(line, lines[index - 1] ?? "")).join("\n");
}

function withReleaseNames(line: string, previous: string): string {
  if (previous.trim() === "- kind: ServiceAccount") return line.replace(/name: .*/, `name: ${serviceAccountName}`);
  return line
    .replace(/^(\s*namespace: )muster-system$/, "$1{{ .Release.Namespace }}")
    .replace(/^(\s*resourceNames: )\[muster-operator\]$/, `$1[${serviceAccountName}]`)
    .replace(/^(\s*resourceNames: )\[muster-tenant\]$/, `$1[muster-tenant${tenantSuffix}]`)
    .replace(/^(\s*name: muster-tenant)$/, `$1${tenantSuffix}`)
    .replace(/^(\s*(?:name|policyName): muster-[a-z-]+)$/, `$1${suffix}`);
}
