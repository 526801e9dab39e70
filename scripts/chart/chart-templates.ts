/** A manifest of `deploy` from which a template of the chart is made. */
export interface TemplateSource {
  /** The paths below `deploy`. */
  readonly manifests: readonly string[];
  /** The condition under which the chart has these objects, as a template expression. */
  readonly condition?: string;
  /** The name of the named template, for objects that the chart has several times. */
  readonly define?: string;
  /** The variables of admission policies that are values of the chart, as template expressions. */
  readonly values?: Readonly<Record<string, string>>;
  /** The value of the chart with more labels of the objects. */
  readonly labels?: string;
}

/** The templates of the chart that have the same objects as Kustomize, by their file names. */
export const templateSources: Readonly<Record<string, TemplateSource>> = {
  "operator-cluster-role.yaml": { manifests: ["kustomize/base/cluster-role.yaml"] },
  "operator-lease-role.yaml": { manifests: ["kustomize/base/lease-role.yaml"] },
  "user-roles.yaml": { manifests: ["kustomize/base/user-roles.yaml"], condition: ".Values.userRoles" },
  "reserved-policy.yaml": { manifests: ["kustomize/base/reserved-policy.yaml"] },
  "operator-writes-policy.yaml": { manifests: ["kustomize/base/operator-writes-policy.yaml"] },
  "public-issuers-policy.yaml": { manifests: ["kustomize/base/public-issuers-policy.yaml"] },
  "finalizer-policy.yaml": {
    manifests: [
      "kustomize/components/admission-policy/policy.yaml",
      "kustomize/components/admission-policy/binding.yaml",
    ],
    condition: 'eq (include "muster.finalizerPolicy" .) "true"',
  },
  "pod-injection.yaml": {
    manifests: ["kustomize/components/pod-injection/policies.yaml"],
    condition: 'eq (include "muster.podInjection" .) "true"',
    values: {
      image: 'include "muster.image" . | quote',
      requests: "toJson .Values.podInjection.requests",
      limits: "toJson .Values.podInjection.limits",
      env: "toJson .Values.podInjection.env",
      platformCa: "toJson .Values.podInjection.platformCa",
    },
  },
  "operator-rules.yaml": {
    manifests: ["monitoring/operator/rules.yaml"],
    condition: ".Values.prometheusRule.enabled",
    labels: ".Values.prometheusRule.labels",
  },
  "platform-rules.yaml": {
    manifests: ["monitoring/platform/rules.yaml"],
    condition: "and .Values.platform.enabled .Values.prometheusRule.enabled",
    labels: ".Values.prometheusRule.labels",
  },
  "_tenant-token.tpl": {
    manifests: ["kustomize/tenant-token/service-account.yaml", "kustomize/tenant-token/role.yaml"],
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
 */
export function chartTemplate(source: TemplateSource, manifests: readonly string[]): string {
  const paths = source.manifests.map((path) => `deploy/${path}`).join(" and ");
  const documents = manifests
    .flatMap((manifest) => manifest.trimEnd().split(/^---\n/m))
    .map((document) => documentTemplate(withValues(document, source.values ?? {}), source));
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

/** Replaces the expressions of variables. What Prometheus takes for a template stays one. */
function withValues(manifest: string, values: Readonly<Record<string, string>>): string {
  const literal = manifest.replaceAll("{{", '{{ "{{" }}');
  return literal.replace(/^( *- name: (\w+)\n *expression: ).*$/gm, (text, start: string, name: string) =>
    values[name] === undefined ? text : `${start}{{ ${values[name]} | toJson }}`,
  );
}

function documentTemplate(manifest: string, { labels: moreLabels }: TemplateSource): string {
  // The labels of the release include the name.
  const lines = manifest.trimEnd().replace("\n    app.kubernetes.io/name: muster", "").split("\n");
  const metadata = lines.indexOf("metadata:");
  const ownLabels = lines.indexOf("  labels:", metadata);
  const labels = [
    '    {{- include "muster.labels" . | nindent 4 }}',
    ...(moreLabels === undefined ? [] : [`    {{- with ${moreLabels} }}{{ toYaml . | nindent 4 }}{{- end }}`]),
  ];
  if (ownLabels === -1) lines.splice(metadata + 1, 0, "  labels:", ...labels);
  else lines.splice(ownLabels + 1, 0, ...labels);
  return lines.map((line, index) => withReleaseNames(line, lines[index - 1] ?? "")).join("\n");
}

function withReleaseNames(line: string, previous: string): string {
  if (previous.trim() === "- kind: ServiceAccount") return line.replace(/name: .*/, `name: ${serviceAccountName}`);
  return line
    .replace(/^(\s*namespace: )muster-(?:system|platform)$/, "$1{{ .Release.Namespace }}")
    .replace(/^(\s*resourceNames: )\[muster-operator\]$/, `$1[${serviceAccountName}]`)
    .replace(/^(\s*resourceNames: )\[muster-tenant\]$/, `$1[muster-tenant${tenantSuffix}]`)
    .replace(/^(\s*name: muster-tenant)$/, `$1${tenantSuffix}`)
    .replace(/^(\s*runbook_url: )(?=docs\/)/, "$1{{ .Values.prometheusRule.runbookBaseUrl }}")
    .replace(/^(\s*(?:name|policyName): muster-[a-z-]+)$/, `$1${suffix}`);
}
