{{/*
A NetworkPolicy for the pods of a component: include "muster.networkPolicy" (list $ "operator" .Values.networkPolicy). Other pods of the
release can always connect: the operator calls the platform, and `helm test` calls both.
*/}}
{{- define "muster.networkPolicy" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := index . 2 -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: muster-{{ $component }}{{ include "muster.suffix" $root }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "muster.labels" $root | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "muster.selector" (list $root $component) | nindent 6 }}
  policyTypes: [Ingress]
  ingress:
    - ports:
        - port: http
      {{- with $values.from }}
      from:
        - podSelector:
            matchLabels:
              app.kubernetes.io/name: muster{{ include "muster.suffix" $root }}
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end -}}
