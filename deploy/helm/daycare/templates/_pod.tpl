{{- /* The variables that the chart itself sets, followed by those from apps.<app>.env and apps.<app>.secretEnv. */ -}}
{{- define "daycare.env" -}}
{{- $root := .root -}}{{- $app := .app -}}{{- $values := $root.Values -}}
{{- $name := include "daycare.fullname" $root -}}
{{- $peers := get (fromYaml (include "daycare.peers" $root)) $app -}}
- name: DAYCARE_LISTEN
  value: 0.0.0.0:50051
- name: DAYCARE_HTTP_LISTEN
  value: 0.0.0.0:9464
{{- /* Ten seconds less than the pod's grace period: the preStop hook takes five, and five are left over. */}}
- name: DAYCARE_SHUTDOWN_TIMEOUT_MS
  value: {{ mul 1000 (sub (int $values.podDefaults.terminationGracePeriodSeconds) 10) | quote }}
{{- if eq $values.tls.mode "off" }}
- name: DAYCARE_TLS
  value: 'off'
{{- else }}
- name: DAYCARE_TLS_CERT_FILE
  value: /run/tls/tls.crt
- name: DAYCARE_TLS_KEY_FILE
  value: /run/tls/tls.key
- name: DAYCARE_TLS_CA_FILE
  value: /run/tls/ca.crt
- name: DAYCARE_TLS_CLIENTS
  value: {{ $values.tls.clients }}
{{- end }}
{{- range $peers }}
- name: DAYCARE_{{ . | upper | replace "-" "_" }}_ADDRESS
  {{- /* The Service is headless: clients resolve the addresses of all replicas and spread their calls over them. */}}
  value: dns:///{{ $name }}-{{ . }}:50051
{{- end }}
{{- with $values.observability.otlpEndpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ . | quote }}
{{- end }}
{{- if eq $app "gateway" }}
- name: DAYCARE_GATEWAY_SESSION_KEY_FILE
  value: /run/secrets/daycare/gateway-session-key
{{- else }}
- name: DAYCARE_MONGO_URL_FILE
  value: /run/secrets/daycare/mongo-url
- name: DAYCARE_NATS_URL_FILE
  value: /run/secrets/daycare/nats-url
- name: DAYCARE_NATS_REPLICAS
  value: {{ $values.nats.replicas | quote }}
{{- if $values.nats.tlsSecret }}
- name: DAYCARE_NATS_CA_FILE
  value: /run/nats-tls/ca.crt
{{- end }}
{{- if eq $app "identity" }}
- name: DAYCARE_CREDENTIALS_FILE
  value: /run/secrets/daycare/credentials.json
{{- else }}
- name: DAYCARE_SERVICE_CREDENTIAL_FILE
  value: /run/secrets/daycare/service-credential
{{- end }}
{{- end }}
{{- if eq $app "agent-runtime" }}
- name: DAYCARE_VAULT_KEY_FILE
  value: /run/secrets/daycare/vault-key
{{- end }}
{{- if and $values.users.enabled (has $app (list "agent-runtime" "topology")) }}
- name: DAYCARE_USERS_DIR
  value: /var/lib/daycare/users
{{- end }}
{{- if and (eq $app "topology") $values.edge.enabled }}
- name: DAYCARE_EDGE_LISTEN
  value: 0.0.0.0:8090
{{- if $values.edge.ingress.enabled }}
- name: DAYCARE_EDGE_URL
  value: {{ printf "%s://%s" (ternary "https" "http" (ne $values.edge.ingress.tlsSecret "")) $values.edge.ingress.host }}
{{- end }}
{{- with $values.trustedProxies.ingress }}
- name: DAYCARE_EDGE_TRUSTED_PROXIES
  value: {{ . | uniq | join "," | quote }}
{{- end }}
{{- end }}
{{- if and (eq $app "gateway") $values.gateway.ingress.enabled $values.gateway.ingress.tlsSecret }}
- name: DAYCARE_GATEWAY_URL
  value: https://{{ $values.gateway.ingress.host }}
{{- end }}
{{- $proxies := ternary $values.trustedProxies.ingress $values.trustedProxies.gateway (eq $app "gateway") }}
{{- with $proxies }}
- name: DAYCARE_TRUSTED_PROXIES
  value: {{ . | uniq | join "," | quote }}
{{- end }}
{{- $spec := index $values.apps $app }}
{{- range $key, $value := $spec.env }}
- name: {{ $key }}
  {{- /* Helm reads numbers as floats: 1000000 would become 1e+06. */}}
  value: {{ ternary (int64 $value | toString) (toString $value) (kindIs "float64" $value) | quote }}
{{- end }}
{{- range $key, $ref := $spec.secretEnv }}
- name: {{ $key }}
  valueFrom:
    secretKeyRef: { name: {{ $ref.name }}, key: {{ $ref.key }} }
{{- end }}
{{- end -}}

{{- /* The files of the Secret that an app may see, at the paths that its environment variables name. */ -}}
{{- define "daycare.secretItems" -}}
{{- if eq .app "gateway" }}
- { key: gateway-session-key, path: gateway-session-key }
{{- else }}
- { key: {{ .app }}-mongo-url, path: mongo-url }
- { key: nats-{{ .app }}, path: nats-url }
{{- if eq .app "identity" }}
- { key: credentials.json, path: credentials.json }
{{- else }}
- { key: {{ .app }}, path: service-credential }
{{- end }}
{{- end }}
{{- if eq .app "agent-runtime" }}
- { key: vault-key, path: vault-key }
{{- end }}
{{- end -}}

{{- define "daycare.volumes" -}}
{{- $values := .root.Values -}}
- name: secrets
  secret:
    secretName: {{ include "daycare.secretName" .root }}
    defaultMode: 0440
    items:
      {{- include "daycare.secretItems" . | nindent 6 }}
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
{{- if ne $values.tls.mode "off" }}
- name: tls
  secret: { secretName: {{ include "daycare.tlsSecret" . }}, defaultMode: 0440 }
{{- end }}
{{- if and $values.nats.tlsSecret (ne .app "gateway") }}
- name: nats-tls
  secret: { secretName: {{ $values.nats.tlsSecret }}, defaultMode: 0440 }
{{- end }}
{{- if and $values.users.enabled (has .app (list "agent-runtime" "topology")) }}
- name: users
  persistentVolumeClaim: { claimName: {{ include "daycare.usersClaim" .root }} }
{{- end }}
{{- end -}}

{{- define "daycare.volumeMounts" -}}
{{- $values := .root.Values -}}
- { name: secrets, mountPath: /run/secrets/daycare, readOnly: true }
- { name: tmp, mountPath: /tmp }
{{- if ne $values.tls.mode "off" }}
- { name: tls, mountPath: /run/tls, readOnly: true }
{{- end }}
{{- if and $values.nats.tlsSecret (ne .app "gateway") }}
- { name: nats-tls, mountPath: /run/nats-tls, readOnly: true }
{{- end }}
{{- if and $values.users.enabled (has .app (list "agent-runtime" "topology")) }}
- { name: users, mountPath: /var/lib/daycare/users, readOnly: {{ eq .app "topology" }} }
{{- end }}
{{- end -}}
