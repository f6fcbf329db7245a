{{/* Name of all objects: the release's, made to end in the chart's unless it holds it. */}}
{{- define "docparser.name" -}}
{{- $name := .Release.Name -}}
{{- if not (contains .Chart.Name $name) -}}
{{- $name = printf "%s-%s" $name .Chart.Name -}}
{{- end -}}
{{- $name | trunc 52 | trimSuffix "-" -}}
{{- end }}

{{- define "docparser.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "docparser.labels" -}}
{{ include "docparser.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "docparser.serviceAccount" -}}
{{- default (include "docparser.name" .) .Values.serviceAccount.name -}}
{{- end }}

{{- define "docparser.image" -}}
{{- $tag := default .Chart.AppVersion .Values.image.tag -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ $tag }}
{{- end -}}
{{- end }}

{{/* Subject of a role binding. */}}
{{- define "docparser.subject" -}}
- kind: ServiceAccount
  name: {{ include "docparser.serviceAccount" . }}
  namespace: {{ .Release.Namespace }}
{{- end }}

{{/* Rules for what has a namespace, of all rules in files/rbac-rules.yaml. */}}
{{- define "docparser.namespacedRules" -}}
{{- range $rule := .Files.Get "files/rbac-rules.yaml" | fromYamlArray }}
{{- if not (has "nodes" $rule.resources) }}
{{ list $rule | toYaml }}
{{- end }}
{{- end }}
{{- end }}
