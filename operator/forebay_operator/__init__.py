"""The operator: custom resources become running services on Kubernetes."""
