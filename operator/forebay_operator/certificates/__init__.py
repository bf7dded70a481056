"""The operator's own certificate authorities, the certificates they issue, and those that users bring. Pure."""

from forebay_operator.certificates.authority import Authority
from forebay_operator.certificates.ownsecret import combined, problem_of
from forebay_operator.certificates.renewal import certificates_in, renewed

__all__ = [
    "Authority",
    "certificates_in",
    "combined",
    "problem_of",
    "renewed",
]
