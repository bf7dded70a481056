from forebay_operator.principals import client_names, server_name, server_names


def test_a_service_has_all_names_that_reach_it():
    assert set(server_names("hub-outfeed", "news")) == {
        "hub-outfeed",
        "hub-outfeed.news",
        "hub-outfeed.news.svc",
        "hub-outfeed.news.svc.cluster.local",
        "*.hub-outfeed-pods.news.svc",
        "localhost",
    }


def test_it_is_checked_against_one_of_them():
    assert server_name("hub-outfeed", "news") in server_names("hub-outfeed", "news")


def test_a_client_is_someone_of_its_namespace():
    assert client_names("inn", "news") == ("inn.news.client.forebay",)
