{{/* Name of the operator's objects: at most 53 long, so that suffixes fit into the 63 of a Service's name. */}}
{{- define "forebay.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 53 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Name of objects that are outside of the release's namespace, where those of other releases are as well. */}}
{{- define "forebay.globalName" -}}
{{- printf "%s:%s" .Release.Namespace (include "forebay.fullname" .) -}}
{{- end -}}

{{/* Labels by which the operator's pods are selected; they never change. */}}
{{- define "forebay.selector" -}}
app.kubernetes.io/name: forebay-operator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Labels of all objects. */}}
{{- define "forebay.labels" -}}
{{- $own := fromYaml (include "forebay.selector" .) -}}
{{- $_ := set $own "app.kubernetes.io/part-of" "forebay" -}}
{{- $_ := set $own "app.kubernetes.io/managed-by" .Release.Service -}}
{{- $_ := set $own "app.kubernetes.io/version" (.Chart.AppVersion | trunc 63) -}}
{{- $_ := set $own "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63) -}}
{{- merge $own .Values.commonLabels | toYaml -}}
{{- end -}}

{{/* The image, by digest where one is given. */}}
{{- define "forebay.image" -}}
{{ include "forebay.imageName" (dict "chart" . "image" .Values.image) }}
{{- end -}}

{{/* The name of one of the images: arguments `chart` (the whole context), `image`. */}}
{{- define "forebay.imageName" -}}
{{- with .image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.chart.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The account of drivers in each namespace, which has one release. */}}
{{- define "forebay.sparkAccount" -}}
{{- .Values.spark.serviceAccount | default (printf "%s-spark" (include "forebay.fullname" .)) -}}
{{- end -}}

{{- define "forebay.pullSecrets" -}}
{{- with .Values.image.pullSecrets -}}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* The namespaces in which resources are run, as a JSON list below `names`. */}}
{{- define "forebay.namespaces" -}}
{{- dict "names" (.Values.namespaces | default (list .Release.Namespace) | uniq) | toJson -}}
{{- end -}}

{{/* What the restricted Pod Security Standard asks of pods, and of containers. */}}
{{- define "forebay.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "forebay.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* The operator's settings file. */}}
{{- define "forebay.settings" -}}
namespaces: {{ (include "forebay.namespaces" . | fromJson).names | toJson }}
clusterWide: {{ .Values.clusterWide }}
leaderElection: {{ .Values.leaderElection.enabled }}
image:
  name: {{ include "forebay.image" . | quote }}
  pullPolicy: {{ .Values.image.pullPolicy }}
  pullSecrets: {{ .Values.image.pullSecrets | toJson }}
spark:
  image:
    name: {{ include "forebay.imageName" (dict "chart" . "image" .Values.spark.image) | quote }}
    pullPolicy: {{ .Values.spark.image.pullPolicy }}
    pullSecrets: {{ .Values.spark.image.pullSecrets | toJson }}
  serviceAccount: {{ include "forebay.sparkAccount" . }}
  {{- omit .Values.spark "image" "serviceAccount" | toYaml | nindent 2 }}
monitoring:
  serviceMonitor: {{ .Values.monitoring.serviceMonitor.enabled }}
  labels: {{ .Values.monitoring.labels | toJson }}
service:
  {{- .Values.service | toYaml | nindent 2 }}
valkey:
  {{- .Values.valkey | toYaml | nindent 2 }}
{{- end -}}

{{/* A pod of `helm test` that runs a Python script: arguments `chart` (the whole context), `name`, `script`. */}}
{{- define "forebay.test" -}}
{{- $chart := .chart -}}
apiVersion: v1
kind: Pod
metadata:
  name: {{ include "forebay.fullname" $chart }}-{{ .name }}
  namespace: {{ $chart.Release.Namespace }}
  labels:
    {{- set (include "forebay.labels" $chart | fromYaml) "app.kubernetes.io/name" "forebay-test" | toYaml | nindent 4 }}
  annotations:
    helm.sh/hook: test
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  restartPolicy: Never
  # Has no rights but those of everybody: to ask what the API server serves.
  serviceAccountName: default
  automountServiceAccountToken: true
  {{- with include "forebay.pullSecrets" $chart }}
  {{- nindent 2 . }}
  {{- end }}
  enableServiceLinks: false
  securityContext:
    {{- include "forebay.podSecurity" $chart | nindent 4 }}
  containers:
    - name: test
      image: {{ include "forebay.image" $chart | quote }}
      imagePullPolicy: {{ $chart.Values.image.pullPolicy }}
      command: [python, -c]
      args:
        - |
          {{- .script | nindent 10 }}
      resources:
        requests:
          cpu: 50m
          memory: 64Mi
        limits:
          memory: 256Mi
      securityContext:
        {{- include "forebay.containerSecurity" $chart | nindent 8 }}
  {{- with $chart.Values.operator.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $chart.Values.operator.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
