{{- /* Generated from deploy/kustomize/tenant-token/service-account.yaml and deploy/kustomize/tenant-token/role.yaml by npm run generate. Do not edit. */ -}}
{{- define "muster.tenantToken" }}
---
# No pod uses it. The operator requests its tokens, and the platform authorizes the Tenant by them.
apiVersion: v1
kind: ServiceAccount
metadata:
  labels:
    {{- include "muster.labels" . | nindent 4 }}
  name: muster-tenant-{{ .tenant }}
  namespace: {{ .Release.Namespace }}
automountServiceAccountToken: false
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  labels:
    {{- include "muster.labels" . | nindent 4 }}
  name: muster-tenant-{{ .tenant }}
  namespace: {{ .Release.Namespace }}
rules:
  # Only this account. Without resourceNames, the operator could request a token of every account in its namespace.
  - apiGroups: [""]
    resources: [serviceaccounts/token]
    resourceNames: [muster-tenant-{{ .tenant }}]
    verbs: [create]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  labels:
    {{- include "muster.labels" . | nindent 4 }}
  name: muster-tenant-{{ .tenant }}
  namespace: {{ .Release.Namespace }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: muster-tenant-{{ .tenant }}
subjects:
  - kind: ServiceAccount
    name: {{ include "muster.serviceAccountName" . }}
    namespace: {{ .Release.Namespace }}
{{- end }}
