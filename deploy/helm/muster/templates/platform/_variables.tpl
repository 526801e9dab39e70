{{/* The issuer of the operator's tokens, as settings of the platform name it. */}}
{{- define "muster.clusterIssuer" -}}
{{ .Values.platform.clusterIssuer | default "token:/etc/cluster/token" }}
{{- end -}}

{{/* The variables of the platform's container: what the chart mounts, overridden by the values. */}}
{{- define "muster.platformVariables" -}}
{{- $platform := .Values.platform -}}
{{- $issuer := printf "%s,ca=/etc/cluster/ca.crt,jwks=https://kubernetes.default.svc/openid/v1/jwks" (include "muster.clusterIssuer" .) -}}
{{- $settings := dict
  "listen" "0.0.0.0:8080"
  "healthListen" "0.0.0.0:8081"
  "baseUrl" (include "muster.platformUrl" .)
  "initFile" "/etc/muster/init/init.yaml"
  "adminTokenFile" "/data/admin-token" -}}
{{- if $platform.database.existingSecret -}}
{{- $_ := set $settings "keyFile" "/etc/muster/key/key" -}}
{{- else -}}
{{- $_ := set $settings "data" "/data/platform.db" -}}
{{- end -}}
{{- if include "muster.platformTlsSecret" . -}}
{{- $_ := set $settings "tlsCert" "/etc/muster/tls/tls.crt" -}}
{{- $_ := set $settings "tlsKey" "/etc/muster/tls/tls.key" -}}
{{- end -}}
{{- if gt (int $platform.replicas) 1 -}}
{{- $_ := set $settings "drainDelay" "5s" -}}
{{- end -}}
{{- $more := deepCopy $platform.settings -}}
{{- $issuers := concat (list $issuer) ($more.trustedIssuer | default list | toStrings) -}}
{{- $_ := set $more "trustedIssuer" $issuers -}}
{{- include "muster.variables" (mergeOverwrite $settings $more) -}}
{{- end -}}

{{/* A duration, such as 1m30s, in whole seconds. */}}
{{- define "muster.seconds" -}}
{{- $unit := dict "ms" 0.001 "s" 1.0 "m" 60.0 "h" 3600.0 -}}
{{- $sum := 0.0 -}}
{{- range regexFindAll "[0-9.]+(ms|s|m|h)" . -1 -}}
{{- $sum = addf $sum (mulf (regexFind "^[0-9.]+" . | float64) (get $unit (regexFind "[a-z]+$" .))) -}}
{{- end -}}
{{- ceil $sum -}}
{{- end -}}
