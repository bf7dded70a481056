"""The `forebay` command. Modules of `commands` are light; what is heavy is imported when a command runs."""

import os
import signal

TERMINATED = 128 + signal.SIGTERM

if os.getpid() == 1:
    # The first process of a container has no default action: until services are loaded, and take the signal themselves,
    # it would be lost, and the container would stay for its whole grace period.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(TERMINATED))
