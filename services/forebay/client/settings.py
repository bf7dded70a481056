"""How articles are offered, and messages published and consumed."""

from dataclasses import dataclass, field

from forebay.runtime import BackoffSettings

KIBIBYTE = 1024
MEBIBYTE = 1024 * KIBIBYTE


@dataclass(frozen=True)
class OfferSettings:
    """Sizes of batches, what may be on its way, and how long to try."""

    batch_articles: int = 256
    """Most articles of a batch. Fewer go out together when no more are at hand: nothing waits for company."""
    batch_octets: int = MEBIBYTE
    """Octets of articles after which a batch is closed."""
    window_octets: int = 16 * MEBIBYTE
    """Octets of articles that may be without a verdict; they are kept to be sent again after a lost connection."""
    article_octets: int = 16 * MEBIBYTE - 64 * KIBIBYTE
    """Largest article, by what a gRPC message holds."""
    backoff: BackoffSettings = field(default_factory=lambda: BackoffSettings(0.2, 10.0))
    """Waits between tries when the service is away or full; it may ask for longer ones."""
    patience: float = 300.0
    """Seconds after which a service that is away or full without a break counts as failed."""


@dataclass(frozen=True)
class PublishSettings:
    """Sizes of batches, what may be unconfirmed, and how long to try."""

    batch_messages: int = 256
    """Most messages of a request. Fewer go out together when no more are at hand: nothing waits for company."""
    batch_octets: int = MEBIBYTE
    """Octets of messages after which a request is closed; one message may have more."""
    window_messages: int = 8192
    """Messages that may be unconfirmed; they are kept to be sent again after a lost connection."""
    window_octets: int = 16 * MEBIBYTE
    """Octets of them; one message may have more."""
    backoff: BackoffSettings = field(default_factory=lambda: BackoffSettings(0.2, 2.0))
    """Waits between tries when the store is away; it may ask for longer ones. They stay short: a mirror goes on some
    seconds after a primary is gone."""
    patience: float = 300.0
    """Seconds after which a store that is away without a break counts as failed."""


@dataclass(frozen=True)
class ConsumeSettings:
    """When acknowledgements are sent, and how long to try."""

    settle_seconds: float = 0.005
    """Longest wait of an acknowledgement for company."""
    backoff: BackoffSettings = field(default_factory=lambda: BackoffSettings(0.2, 2.0))
    """Waits between tries when the store is away; it may ask for longer ones. They stay short: a mirror goes on some
    seconds after a primary is gone."""
    patience: float = 300.0
    """Seconds after which a store that is away without a break counts as failed."""
