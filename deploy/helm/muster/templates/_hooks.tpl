{{/* The annotations of the objects that the hook before uninstalling needs. They exist only while it runs. */}}
{{- define "muster.uninstallHook" -}}
helm.sh/hook: pre-delete
helm.sh/hook-weight: "0"
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed
{{- end -}}

{{/* The pods of hooks run where the operator does. They are not spread. */}}
{{- define "muster.hookPodOptions" -}}
{{- $values := merge (dict "topologySpreadConstraints" list) (pick .Values "podSecurityContext" "nodeSelector" "tolerations" "affinity" "priorityClassName") -}}
{{- include "muster.podOptions" (list . $values "") -}}
{{- end -}}
