"""A stand-in for the part of the Kubernetes API that leases need: objects with resourceVersion compare-and-swap.

It is not the real API server; that one is tested with the operator.
"""

from copy import deepcopy

from aiohttp import web

FOLDER = "/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
TOKEN = "let-me-in"


class KubeStandIn:
    def __init__(self):
        self.objects = {}
        self.version = 100
        self.port = 0
        self.broken = False
        self.forbidden = False
        self.before_post = self.before_put = lambda: None
        self.runner = None

    async def start(self):
        @web.middleware
        async def checked(request, handler):
            return self.refusal(request) or await handler(request)

        application = web.Application(middlewares=[checked])
        application.router.add_post(FOLDER, self.post)
        application.router.add_get(FOLDER + "/{name}", self.get)
        application.router.add_put(FOLDER + "/{name}", self.put)
        self.runner = web.AppRunner(application, shutdown_timeout=0.1)
        await self.runner.setup()
        await web.TCPSite(self.runner, "127.0.0.1", 0).start()
        self.port = self.runner.addresses[0][1]

    async def stop(self):
        await self.runner.cleanup()

    def refusal(self, request):
        if self.broken:
            return web.Response(status=503, text="no leader")
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return failure(401, "Unauthorized")
        return failure(403, "leases is forbidden") if self.forbidden else None

    async def get(self, request):
        found = self.objects.get(request.match_info["name"])
        return failure(404, "not found") if found is None else web.json_response(found)

    async def post(self, request):
        body = await request.json()
        self.before_post()
        if body["metadata"]["name"] in self.objects:
            return failure(409, "already exists")
        return self.store(body, 201)

    async def put(self, request):
        body = await request.json()
        change, self.before_put = self.before_put, lambda: None
        change()
        found = self.objects.get(request.match_info["name"])
        if found is None:
            return failure(404, "not found")
        if body["metadata"].get("resourceVersion") != found["metadata"]["resourceVersion"]:
            return failure(409, "the object has been modified")
        return self.store(body, 200)

    def store(self, body, status):
        validate(body["spec"])
        self.version += 1
        body["metadata"]["resourceVersion"] = str(self.version)
        self.objects[body["metadata"]["name"]] = deepcopy(body)
        return web.json_response(body, status=status)

    def create(self, name, holder):
        """Create a lease as somebody else would."""
        now = "2024-01-01T00:00:00.000000Z"
        spec = {"holderIdentity": holder, "leaseDurationSeconds": 15, "leaseTransitions": 1, "renewTime": now}
        self.store({"metadata": {"name": name}, "spec": spec}, 201)

    def edit(self, name, **spec):
        """Change a lease as somebody else would."""
        body = deepcopy(self.objects[name])
        body["spec"].update(spec)
        self.store(body, 200)


def validate(spec):
    """What the API server checks of a Lease."""
    assert isinstance(spec["leaseDurationSeconds"], int)
    assert spec["leaseDurationSeconds"] > 0
    assert spec["leaseTransitions"] >= 0
    assert spec["renewTime"][10] == "T"
    assert spec["renewTime"].endswith("Z")
    assert len(spec["renewTime"]) == 27


def failure(status, message):
    return web.json_response({"kind": "Status", "code": status, "message": message}, status=status)
