"""The custom resource definitions that Kubernetes checks resources with, made from their models. Pure."""

from forebay.api.crds.definition import definition

__all__ = ["definition"]
