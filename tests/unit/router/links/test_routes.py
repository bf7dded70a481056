from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.links.routes import LONGEST_PATH, RouteTable, offered


def route(*path, cost=1):
    return pb.Route(domain=path[-1], path=path, cost=cost)


def shown(best):
    return {domain: (way.link, way.path, way.cost) for domain, way in best.items()}


def test_the_cheapest_way_is_best_then_the_shortest():
    table = RouteTable("us")
    table.outside("l1", "a", 1, [route("b", "z", cost=2), route("y", cost=1)])
    table.outside("l2", "b", 1, [route("z", cost=1), route("c", "y", cost=1)])
    assert shown(table.best(["l1", "l2"])) == {
        "a": ("l1", ("a",), 1),
        "b": ("l2", ("b",), 1),
        "z": ("l2", ("b", "z"), 2),
        "y": ("l1", ("a", "y"), 2),
    }


def test_a_way_over_a_link_that_is_up_is_better_than_any_over_one_that_is_not():
    table = RouteTable("us")
    table.outside("l1", "z", 1, [])
    table.outside("l2", "a", 5, [route("z", cost=9)])
    assert table.best(["l2"])["z"].link == "l2"
    assert table.best([])["z"].link == "l1"
    table.remove("l2")
    assert table.best(["l2"])["z"].link == "l1"


def test_ways_that_come_back_are_not_taken():
    table = RouteTable("us")
    long = [str(number) for number in range(LONGEST_PATH)]
    table.outside("l1", "a", 1, [route("us", "z"), route("z", "a", "z"), route("a", "y"), route(*long), pb.Route()])
    assert list(table.best(["l1"])) == ["a"]


def test_ways_over_another_router_of_the_domain_cost_more_than_our_own():
    table = RouteTable("us")
    table.inside("peer", [route("z", cost=3), route("y", cost=3)])
    table.outside("l1", "z", 3, [])
    assert shown(table.best(["peer", "l1"])) == {"z": ("l1", ("z",), 3), "y": ("peer", ("y",), 4)}


def test_what_is_offered_leads_not_through_whom_it_is_offered_to():
    table = RouteTable("us")
    table.inside("peer", [route("y")])
    table.outside("l1", "a", 1, [route("z")])
    best = table.best(["peer", "l1"])
    assert [each.domain for each in offered(best, "b", inside=False)] == ["a", "y", "z"]
    assert [each.domain for each in offered(best, "a", inside=False)] == ["y"]
    assert [(each.domain, list(each.path), each.cost) for each in offered(best, "us", inside=True)] == [
        ("a", ["a"], 1),
        ("z", ["a", "z"], 2),
    ]
