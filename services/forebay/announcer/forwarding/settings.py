"""How announces are forwarded: sizes, thresholds, rates and the failure policy."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ForwardingSettings:
    """The parameters of queue, schedule and workers. Times are in seconds, thresholds in per cent of the queue."""

    queue_size: int = 10_000
    """Most jobs that wait for a worker."""
    workers: int = 10
    """Workers that always run."""
    max_workers: int | None = None
    """Most workers; none: twice `workers`."""
    scale_threshold: int = 60
    """Fill at which another worker starts; below `SCALE_DOWN` one leaves."""
    rate_limit_threshold: int = 80
    """Fill at which first announces need a token."""
    rate_limit_per_second: float = 100
    """Tokens that come back in a second."""
    rate_limit_burst: int = 200
    """Most tokens."""
    throttle_threshold: int = 60
    """Fill at which an announce goes to `throttle_top` forwarders only."""
    throttle_top: int = 20
    """Forwarders of an announce while throttling; 0 turns throttling off."""
    max_forwarders: int = 100
    """Forwarders of an announce at any time."""
    retry_period: float = 300
    """When a refused client is told to come back."""
    suspension: float = 300
    """How long a forwarder rests that asks for fewer requests, unless it says itself how long."""
    attempts: int = 5
    """Times a request is sent before it has failed."""
    retry_base: float = 0.5
    """The n-th repetition waits this long times 2 ** n."""
    fail_threshold: int = 10
    """Failed requests in a row that disable a forwarder; 0: never."""

    @property
    def most_workers(self) -> int:
        """Most workers, told or not; never fewer than those that always run."""
        return 2 * self.workers if self.max_workers is None else max(self.workers, self.max_workers)

    @property
    def schedule_size(self) -> int:
        """Most jobs that wait for their time: the schedule has to end somewhere too."""
        return 10 * self.queue_size
