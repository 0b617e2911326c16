{{- define "daycare.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "daycare.fullname" -}}
{{- $name := include "daycare.name" . -}}
{{- $whole := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $whole .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- /* The five apps, in the order in which an upgrade should reach them. */ -}}
{{- define "daycare.apps" -}}identity social-graph agent-runtime topology gateway{{- end -}}

{{- /* Which apps each app calls. */ -}}
{{- define "daycare.peers" -}}
identity: []
social-graph: [identity, agent-runtime]
agent-runtime: [identity, social-graph, topology]
topology: [identity, social-graph, agent-runtime]
gateway: [identity, social-graph, agent-runtime, topology]
{{- end -}}

{{- define "daycare.selector" -}}
app.kubernetes.io/name: {{ include "daycare.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .app }}
{{- end -}}

{{- define "daycare.labels" -}}
{{ include "daycare.selector" . }}
app.kubernetes.io/part-of: daycare
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "daycare.image" -}}
{{- $tag := default .root.Chart.AppVersion .root.Values.image.tag -}}
{{- $path := printf "%s/%s:%s" .root.Values.image.repository .app $tag -}}
{{- if .root.Values.image.registry -}}{{ .root.Values.image.registry }}/{{ $path }}{{- else -}}{{ $path }}{{- end -}}
{{- end -}}

{{- /* The settings of a pod that the level `restricted` of the Pod Security Standards requires. */ -}}
{{- define "daycare.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ .user }}
runAsGroup: {{ .user }}
fsGroup: {{ .user }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "daycare.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "daycare.imagePullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "daycare.secretName" -}}
{{- required "secrets.name is required: the name of the Secret with the files that deploy/create-secrets.mjs creates" .Values.secrets.name -}}
{{- end -}}

{{- define "daycare.tlsSecret" -}}
{{- if eq .root.Values.tls.mode "secrets" -}}
{{- required (printf "tls.secretNames.%s is required with tls.mode secrets" .app) (get .root.Values.tls.secretNames .app) -}}
{{- else -}}
{{ include "daycare.fullname" .root }}-{{ .app }}-tls
{{- end -}}
{{- end -}}

{{- define "daycare.usersClaim" -}}
{{- default (printf "%s-users" (include "daycare.fullname" .)) .Values.users.existingClaim -}}
{{- end -}}
