{{/* Ends the names of all objects. An operator with a class has one, so that a cluster can have several. */}}
{{- define "muster.suffix" -}}
{{- if .Values.nameSuffix -}}
{{ .Values.nameSuffix }}
{{- else if .Values.settings.class -}}
-{{ .Values.settings.class }}
{{- end -}}
{{- end -}}

{{- define "muster.serviceAccountName" -}}
{{ .Values.serviceAccount.name | default (printf "muster-operator%s" (include "muster.suffix" .)) }}
{{- end -}}

{{- define "muster.platformName" -}}
muster-platform{{ include "muster.suffix" . }}
{{- end -}}

{{/* The labels of every object. */}}
{{- define "muster.labels" -}}
app.kubernetes.io/part-of: muster
app.kubernetes.io/name: muster{{ include "muster.suffix" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/*
The labels by which the pods of a component are selected: include "muster.selector" (list $ "operator"). The name has the suffix:
otherwise an operator would select the pods of another one in its namespace, and two budgets for one pod prevent every drain.
*/}}
{{- define "muster.selector" -}}
app.kubernetes.io/name: muster{{ include "muster.suffix" (index . 0) }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "muster.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end -}}

{{/* The value of a setting as a variable has it: a list is separated by semicolons, which no value contains. */}}
{{- define "muster.settingText" -}}
{{- if kindIs "slice" . -}}
{{ join ";" . }}
{{- else if kindIs "string" . -}}
{{ . }}
{{- else -}}
{{ toJson . }}
{{- end -}}
{{- end -}}

{{/* The variables of a map of settings: MUSTER_ROOT_GROUP for rootGroup. */}}
{{- define "muster.variables" -}}
{{- range $key, $value := . }}
{{- if not (kindIs "invalid" $value) }}
MUSTER_{{ $key | snakecase | upper }}: {{ include "muster.settingText" $value | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The settings of the operator, as JSON: those of a platform in this release, overridden by the values. */}}
{{- define "muster.operatorSettings" -}}
{{- $settings := dict "listen" "0.0.0.0:8080" "tokenFile" "/var/run/secrets/muster/token" -}}
{{- if .Values.platform.enabled -}}
{{- $derived := include "muster.derived" . | fromJson -}}
{{- $_ := set $settings "platformUrl" (include "muster.platformUrl" .) -}}
{{- $_ := set $settings "ownerId" $derived.ownerId -}}
{{- $_ := set $settings "rootGroup" $derived.rootGroup -}}
{{- $_ := set $settings "identity" $derived.identity -}}
{{- if include "muster.platformCa" . -}}
{{- $_ := set $settings "platformCa" "/etc/muster/platform/ca.crt" -}}
{{- end -}}
{{- end -}}
{{- mergeOverwrite $settings (deepCopy .Values.settings) | toJson -}}
{{- end -}}

{{/*
What the platform of this release and its operator agree on: the uids that --init-file gives to the platform, and the owner id.
They are hashes of the namespace and the name of the release, so that they are the same at every upgrade.
*/}}
{{- define "muster.derived" -}}
{{- $release := printf "%s/%s" .Release.Namespace .Release.Name -}}
{{- $settings := .Values.settings -}}
{{- $given := $settings.rootGroup -}}
{{- if kindIs "slice" $given -}}
{{- $given = first $given -}}
{{- end -}}
{{- $rootGroup := $given | default (sha1sum $release) -}}
{{- dict
  "rootGroup" $rootGroup
  "identity" ($settings.identity | default (printf "%s/%s" $rootGroup (sha256sum (printf "%s/operator" $release) | trunc 16)))
  "ownerId" ($settings.ownerId | default (sha256sum $release | trunc 40))
  | toJson -}}
{{- end -}}

{{/* The address of the platform of this release, as clients use it. */}}
{{- define "muster.platformUrl" -}}
{{- with .Values.platform -}}
{{- if .baseUrl -}}
{{ trimSuffix "/" .baseUrl }}
{{- else if .ingress.enabled -}}
https://{{ required "platform.ingress.host is required" .ingress.host }}
{{- else if .gateway.enabled -}}
https://{{ required "platform.gateway.host is required" .gateway.host }}
{{- else -}}
{{ include "muster.platformScheme" $ }}://{{ include "muster.platformName" $ }}.{{ $.Release.Namespace }}.svc:8080
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The Secret with the certificate of the platform; empty without TLS. */}}
{{- define "muster.platformTlsSecret" -}}
{{- with .Values.platform.tls -}}
{{- if .secretName -}}
{{ .secretName }}
{{- else if .certManager.enabled -}}
{{ include "muster.platformName" $ }}-tls
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "muster.platformScheme" -}}
{{ if include "muster.platformTlsSecret" . }}https{{ else }}http{{ end }}
{{- end -}}

{{/* The Secret whose ca.crt the operator trusts: only if it connects to the Service of the platform. */}}
{{- define "muster.platformCa" -}}
{{- with .Values.platform -}}
{{- if and .enabled (not (or .baseUrl .ingress.enabled .gateway.enabled $.Values.settings.platformUrl)) -}}
{{ include "muster.platformTlsSecret" $ }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* "true" if the release has the admission policy that adds the finalizer. */}}
{{- define "muster.finalizerPolicy" -}}
{{- $enabled := .Values.finalizerPolicy.enabled -}}
{{- if kindIs "invalid" $enabled -}}
{{- $enabled = .Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy" -}}
{{- end -}}
{{ $enabled }}
{{- end -}}

{{/* "true" if the release has the admission policies that inject pods. */}}
{{- define "muster.podInjection" -}}
{{- $enabled := .Values.podInjection.enabled -}}
{{- if kindIs "invalid" $enabled -}}
{{- $enabled = and (.Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy") (not .Values.settings.class) -}}
{{- end -}}
{{ $enabled }}
{{- end -}}

{{/* What the pods of each workload have: include "muster.podOptions" (list $ .Values "operator"). */}}
{{- define "muster.podOptions" -}}
{{- $root := index . 0 -}}
{{- $values := index . 1 -}}
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml $values.podSecurityContext | nindent 2 }}
{{- if kindIs "invalid" $values.topologySpreadConstraints }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "muster.selector" (list $root (index . 2)) | nindent 8 }}
{{- else if $values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml $values.topologySpreadConstraints | nindent 2 }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{- define "muster.containerImage" -}}
image: {{ include "muster.image" . }}
{{- with .Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
{{- end -}}

{{/* No container of Muster needs more. */}}
{{- define "muster.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/*
The probes of a container: include "muster.probes" PORT. The others start when the startup probe has succeeded. Without it, the kubelet
would connect before the server listens, raise a Warning, and probe again 5 s later.
*/}}
{{- define "muster.probes" -}}
startupProbe:
  httpGet:
    path: /livez
    port: {{ . }}
  initialDelaySeconds: 2
  periodSeconds: 1
  timeoutSeconds: 5
  failureThreshold: 60
livenessProbe:
  httpGet:
    path: /livez
    port: {{ . }}
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet:
    path: /readyz
    port: {{ . }}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end -}}
