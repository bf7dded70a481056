from forebay.runtime import ChannelSettings


def test_the_name_of_the_server_is_that_of_the_target_unless_it_is_given():
    name = "grpc.ssl_target_name_override"
    assert name not in dict(ChannelSettings().options())
    assert dict(ChannelSettings(server_name="hub.example").options())[name] == "hub.example"


def test_the_longest_wait_for_a_server_that_is_away_can_be_set():
    assert dict(ChannelSettings(longest_backoff=1.5).options())["grpc.max_reconnect_backoff_ms"] == 1500


def test_probes_are_no_closer_than_a_server_allows():
    assert dict(ChannelSettings(keepalive=1.0).options())["grpc.keepalive_time_ms"] == 20_000
