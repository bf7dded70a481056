"""How the API server is reached: by the pod's service account, or by a kubeconfig."""

import os

from kubernetes.aio import config
from kubernetes.aio.client import ApiClient, Configuration

from forebay_operator.errors import SettingsFileError

CONNECTIONS = 32
"""Requests at once."""


async def configuration() -> Configuration:
    """Where the API server is and who we are: by KUBECONFIG where it is set, else by the pod's service account.

    The token is read again from its file each minute. Raises `SettingsFileError` where neither can be used.
    """
    made = Configuration()
    try:
        if path := os.environ.get("KUBECONFIG"):
            await config.load_kube_config(  # type: ignore[no-untyped-call]
                config_file=path, client_configuration=made, persist_config=False
            )
        else:
            config.load_incluster_config(client_configuration=made)  # type: ignore[no-untyped-call]
    except config.ConfigException as error:
        raise SettingsFileError(f"{error}; run in a pod, or set KUBECONFIG to a kubeconfig file") from error
    made.connection_pool_maxsize = CONNECTIONS
    return made


async def connect() -> ApiClient:
    """A connection to the API server. Raises `SettingsFileError`."""
    return ApiClient(await configuration())
