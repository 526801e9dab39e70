{{/* What the operator needs to assume its identity. The pod of `helm test` has the same. */}}
{{- define "muster.operatorMounts" -}}
- name: platform-token
  mountPath: /var/run/secrets/muster
  readOnly: true
{{- if include "muster.platformCa" . }}
- name: platform-ca
  mountPath: /etc/muster/platform
  readOnly: true
{{- end }}
{{- end -}}

{{- define "muster.operatorVolumes" -}}
# The token that the operator exchanges at the platform. Its audience is the platform, so the API server rejects it.
- name: platform-token
  projected:
    sources:
      - serviceAccountToken:
          path: token
          audience: {{ .Values.tokenAudience }}
          expirationSeconds: 3600
{{- with include "muster.platformCa" . }}
- name: platform-ca
  secret:
    secretName: {{ . }}
    items:
      - key: ca.crt
        path: ca.crt
{{- end }}
{{- end -}}
