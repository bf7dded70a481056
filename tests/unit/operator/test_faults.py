import json

import aiohttp
import pytest
from kubernetes.aio.client.exceptions import ApiException

from forebay_operator.errors import (
    ConflictError,
    EndingError,
    ForbiddenError,
    InvalidError,
    KubeError,
    NotFoundError,
    UnavailableError,
)
from forebay_operator.kube.faults import translated


def refusal(status, message="told", **headers):
    failure = ApiException(status=status, reason="Reason", body=json.dumps({"message": message}))
    failure.headers = headers
    return failure


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, InvalidError),
        (401, UnavailableError),
        (403, ForbiddenError),
        (404, NotFoundError),
        (409, ConflictError),
        (410, KubeError),
        (422, InvalidError),
        (429, UnavailableError),
        (500, UnavailableError),
        (503, UnavailableError),
    ],
)
def test_a_status_is_an_error_of_ours(status, error):
    found = translated("GET /x", refusal(status))
    assert type(found) is error
    assert found.status == status
    assert str(found) == f"GET /x: {status}: told"


@pytest.mark.parametrize("failure", [aiohttp.ClientConnectionError("refused"), TimeoutError(), OSError("x")], ids=repr)
def test_no_answer_is_worth_another_try(failure):
    found = translated("GET /x", failure)
    assert isinstance(found, UnavailableError)
    assert found.status == 0


@pytest.mark.parametrize(("text", "seconds"), [("7", 7), ("soon", 0)])
def test_the_wait_that_the_server_asks_for_is_kept(text, seconds):
    found = translated("GET /x", refusal(429, **{"Retry-After": text}))
    assert found.retry_after == seconds


def test_a_namespace_that_is_being_deleted_is_told_apart():
    causes = {"causes": [{"reason": "NamespaceTerminating", "message": "is being terminated", "field": "x"}]}
    failure = ApiException(status=403, reason="Forbidden", body=json.dumps({"message": "no", "details": causes}))
    assert type(translated("POST /x", failure)) is EndingError


@pytest.mark.parametrize("body", ["", "[]", "null", '{"details": null}', '{"details": {"causes": null}}'], ids=repr)
def test_any_other_refusal_is_just_that(body):
    assert type(translated("POST /x", ApiException(status=403, reason="Forbidden", body=body))) is ForbiddenError


def test_an_answer_that_is_no_status_is_told_by_its_reason():
    failure = ApiException(status=502, reason="Bad Gateway", body="<html>")
    assert "Bad Gateway" in str(translated("GET /x", failure))
