"""The definition of SparkApplications, made from the models of PyPI's kubeflow-spark-api.

The Spark operator's own definition is not at hand in tests. Its models are made from the same source: fields and types
are the same, and what they do not know is refused by an API server that validates strictly.
"""

import types
from datetime import datetime
from typing import Any, Union, get_args, get_origin

from kubeflow_spark_api.models.spark_v1beta2_spark_application_spec import SparkV1beta2SparkApplicationSpec
from kubeflow_spark_api.models.spark_v1beta2_spark_application_status import SparkV1beta2SparkApplicationStatus
from pydantic import BaseModel

Schema = dict[str, Any]
NAME = "sparkapplications.sparkoperator.k8s.io"
ANY: Schema = {"x-kubernetes-preserve-unknown-fields": True}
NUMBER_OR_TEXT: Schema = {"x-kubernetes-int-or-string": True}
TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", datetime: "string"}


def definition() -> Schema:
    """The CustomResourceDefinition; `kubectl apply --server-side` takes it."""
    properties = {
        "spec": schema_of(SparkV1beta2SparkApplicationSpec),
        "status": schema_of(SparkV1beta2SparkApplicationStatus),
    }
    version = {
        "name": "v1beta2",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
    }
    names = {
        "kind": "SparkApplication",
        "listKind": "SparkApplicationList",
        "plural": "sparkapplications",
        "singular": "sparkapplication",
        "shortNames": ["sparkapp"],
    }
    spec = {"group": "sparkoperator.k8s.io", "scope": "Namespaced", "names": names, "versions": [version]}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": NAME, "annotations": {"api-approved.kubernetes.io": "unapproved, for tests alone"}},
        "spec": spec,
    }


def schema_of(model: type[BaseModel]) -> Schema:
    """The structural schema of an object."""
    if "actual_instance" in model.model_fields:
        return dict(NUMBER_OR_TEXT)
    fields = model.model_fields.items()
    properties = {field.alias or name: value_schema(field.annotation) for name, field in fields}
    required = [field.alias or name for name, field in fields if field.is_required()]
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def value_schema(annotation: Any) -> Schema:
    """The structural schema of what a field holds."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        inner = [each for each in arguments if each is not type(None)]
        return value_schema(inner[0]) if len(inner) == 1 else dict(NUMBER_OR_TEXT)
    if origin is list:
        return {"type": "array", "items": value_schema(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": value_schema(arguments[1])}
    if hasattr(annotation, "__metadata__"):
        return value_schema(annotation.__origin__)
    if annotation in TYPES:
        return {"type": TYPES[annotation]}
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and annotation.model_fields:
        return schema_of(annotation)
    return ANY
