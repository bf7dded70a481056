"""The controls of the Restricted Pod Security Standard, one by one, as https://kubernetes.io/docs lists them."""

SAFE_SYSCTLS = {
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_syncookies",
}
VOLUME_TYPES = {
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "persistentVolumeClaim",
    "projected",
    "secret",
}
HANDLERS = ("livenessProbe", "readinessProbe", "startupProbe")


def context(pod, container, field):
    """A field of a security context: the container's, else the pod's."""
    own = container.get("securityContext", {})
    return own.get(field, pod.get("securityContext", {}).get(field))


def host_of(probe):
    return next((probe[how].get("host") for how in ("httpGet", "tcpSocket") if how in probe), None)


POD_CONTROLS = {
    "host namespaces": lambda pod: not any(pod.get(f"host{each}") for each in ("Network", "PID", "IPC")),
    "sysctls": lambda pod: {each["name"] for each in pod.get("securityContext", {}).get("sysctls", [])} <= SAFE_SYSCTLS,
    "volume types": lambda pod: all(set(volume) - {"name"} <= VOLUME_TYPES for volume in pod.get("volumes", [])),
}
CONTAINER_CONTROLS = {
    "privileged": lambda pod, container: not context(pod, container, "privileged"),
    "privilege escalation": lambda pod, container: context(pod, container, "allowPrivilegeEscalation") is False,
    "capabilities dropped": lambda pod, container: (
        "ALL" in (context(pod, container, "capabilities") or {}).get("drop", [])
    ),
    "capabilities added": lambda pod, container: (
        set((context(pod, container, "capabilities") or {}).get("add", [])) <= {"NET_BIND_SERVICE"}
    ),
    "host ports": lambda pod, container: not any(port.get("hostPort") for port in container.get("ports", [])),
    "probe hosts": lambda pod, container: not any(host_of(container.get(name, {})) for name in HANDLERS),
    "AppArmor": lambda pod, container: (context(pod, container, "appArmorProfile") or {}).get("type") != "Unconfined",
    "SELinux": lambda pod, container: not context(pod, container, "seLinuxOptions"),
    "procMount": lambda pod, container: context(pod, container, "procMount") in (None, "Default"),
    "seccomp": lambda pod, container: (
        (context(pod, container, "seccompProfile") or {}).get("type") in ("RuntimeDefault", "Localhost")
    ),
    "non-root": lambda pod, container: context(pod, container, "runAsNonRoot") is True,
    "user": lambda pod, container: context(pod, container, "runAsUser") != 0,
}
