import pytest

from forebay.runtime import LeaseError
from forebay_operator.errors import ConflictError, NotFoundError, UnavailableError
from forebay_operator.leadership import LeaseApi

PATH = "/apis/coordination.k8s.io/v1/namespaces/system/leases"


class Answering:
    """A client with one answer."""

    def __init__(self, answer):
        self.answer = answer

    async def call(self, method, path, body=None):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(("method", "status"), [("GET", 200), ("PUT", 200), ("POST", 201)])
async def test_what_went_well_is_an_answer(method, status):
    answer = await LeaseApi(Answering({"spec": {}})).request(method, PATH)
    assert answer == (status, {"spec": {}})


@pytest.mark.parametrize("error", [NotFoundError("get", 404, "no"), ConflictError("put", 409, "no")], ids=str)
async def test_what_was_refused_is_an_answer_too(error):
    assert (await LeaseApi(Answering(error)).request("GET", PATH)).status == error.status


async def test_no_answer_is_an_error():
    with pytest.raises(LeaseError):
        await LeaseApi(Answering(UnavailableError("get", 0, "timeout"))).request("GET", PATH)
