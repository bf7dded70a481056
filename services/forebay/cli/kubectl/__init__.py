"""`kubectl forebay`: Forebay on Kubernetes as one command sees it. All it knows of the cluster it asks kubectl for."""
