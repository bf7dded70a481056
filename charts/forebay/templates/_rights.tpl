{{/* To follow resources and what is made of them. */}}
{{- define "forebay.rights.watch" -}}
- apiGroups: [forebay.dev]
  resources: [spills, outfeeds, compactions, stores, announcers, routers, conduitnodes]
  verbs: [get, list, watch]
- apiGroups: [forebay.dev]
  resources: [peerfeeds, storequeues, forwarders, routerlinks]
  verbs: [list, watch]
- apiGroups: [""]
  resources: [pods, services]
  verbs: [list, watch]
- apiGroups: [apps]
  resources: [statefulsets]
  verbs: [list, watch]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [list, watch]
- apiGroups: [sparkoperator.k8s.io]
  resources: [sparkapplications]
  verbs: [list, watch]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [list, watch]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [list, watch]
{{- end -}}

{{/* To tell how a resource fares, also that it is not run. */}}
{{- define "forebay.rights.tell" -}}
- apiGroups: [forebay.dev]
  resources:
    - spills/status
    - outfeeds/status
    - peerfeeds/status
    - compactions/status
    - stores/status
    - storequeues/status
    - announcers/status
    - forwarders/status
    - routers/status
    - routerlinks/status
    - conduitnodes/status
  verbs: [patch]
- apiGroups: [""]
  resources: [events]
  verbs: [create]
{{- end -}}

{{/* To run resources. Server-side apply needs both create and patch. */}}
{{- define "forebay.rights.run" -}}
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, create, patch, delete]
- apiGroups: [""]
  resources: [services]
  verbs: [get, create, patch, delete]
- apiGroups: [""]
  resources: [serviceaccounts]
  verbs: [get, create, patch]
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [get, patch]
- apiGroups: [apps]
  resources: [statefulsets]
  verbs: [get, create, patch, delete]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, create, delete]
- apiGroups: [sparkoperator.k8s.io]
  resources: [sparkapplications]
  verbs: [get, create, delete]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, create, patch]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, create, patch]
- apiGroups: [monitoring.coreos.com]
  resources: [servicemonitors]
  verbs: [get, create, patch, delete]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [roles, rolebindings]
  verbs: [get, create, patch]
# The pods of a Store with mirrors are given this, and nobody can give what he has not got.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [get, create, update]
{{- end -}}

{{/* In the operator's own namespace: the authorities of the namespaces, and the Lease. */}}
{{- define "forebay.rights.own" -}}
- apiGroups: [""]
  resources: [secrets]
  verbs: [create]
- apiGroups: [""]
  resources: [secrets]
  resourceNames:
    {{- range (include "forebay.namespaces" . | fromJson).names }}
    - forebay-ca-{{ . }}
    {{- end }}
  verbs: [get, patch]
{{- if .Values.leaderElection.enabled }}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [forebay-operator]
  verbs: [get, update]
{{- end }}
{{- end -}}

{{/* A Role or ClusterRole and its binding to the operator: arguments `chart` (the whole context), `name`, `rules`, and
for a Role `namespace`. */}}
{{- define "forebay.role" -}}
{{- $scope := ternary "" "Cluster" (hasKey . "namespace") -}}
{{- $metadata := dict "name" .name "labels" (include "forebay.labels" .chart | fromYaml) -}}
{{- with .namespace }}{{ $_ := set $metadata "namespace" . }}{{ end -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $scope }}Role
metadata:
  {{- toYaml $metadata | nindent 2 }}
rules:
  {{- .rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $scope }}RoleBinding
metadata:
  {{- toYaml $metadata | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $scope }}Role
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ include "forebay.fullname" .chart }}
    namespace: {{ .chart.Release.Namespace }}
{{- end -}}
