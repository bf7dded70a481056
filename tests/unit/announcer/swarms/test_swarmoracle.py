"""The table beside a plain model of it: dictionaries, and no thought of speed."""

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from forebay.announcer.announce import Event
from forebay.announcer.swarms.figures import Figures
from forebay.announcer.swarms.outside import News
from forebay.announcer.swarms.swarmtable import ROUND
from swarms import NOW, V4, V6, announce, endpoint, octets, split, swarm_table

TORRENTS = st.sampled_from(["one", "two"])
FAMILIES = st.sampled_from([V4, V6])
HOSTS = st.integers(1, 4)
PEER_IDS = st.sampled_from(["a", "b", "c"]).map(octets)
PORTS = st.sampled_from([1000, 2000])
KEYS = st.sampled_from([b"", b"key"])
EVENTS = st.sampled_from([each for each in Event if each is not Event.STOPPED])
AGE = 100.0


class Model:
    """One family of one swarm."""

    def __init__(self):
        self.peers = {}  # by endpoint: client, seeder, paused, seen
        self.homes = {}  # by client: the last endpoint that it took

    def find(self, endpoint, client):
        home = self.homes.get(client)
        if endpoint in self.peers:
            return endpoint
        return home if home and (len(client) > 20 or home[:-2] == endpoint[:-2]) else None

    def put(self, endpoint, client, seeder, paused, now):
        old = self.find(endpoint, client)
        if old != endpoint or self.peers[endpoint][0] != client:
            if old is not None:
                self.drop(old)
            self.homes[client] = endpoint
        self.peers[endpoint] = client, seeder, paused, now

    def drop(self, endpoint):
        client = self.peers.pop(endpoint)[0]
        if self.homes.get(client) == endpoint:
            del self.homes[client]


class TableMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.now = NOW
        self.table = swarm_table(peer_age=AGE)
        self.models = {(torrent, family): Model() for torrent in ("one", "two") for family in (V4, V6)}
        self.downloaded = Counter()
        self.outside = {torrent: set() for torrent in ("one", "two")}

    @rule(
        torrent=TORRENTS, family=FAMILIES, host=HOSTS, peer_id=PEER_IDS, port=PORTS, key=KEYS,
        left=st.sampled_from([0, 1, None]), event=EVENTS,
    )  # fmt: skip
    def announces(self, torrent, family, host, peer_id, port, key, left, event):
        sent = announce(host, torrent, family, peer_id=peer_id, port=port, key=key, left=left, event=event)
        model, place, client = self.models[torrent, family], endpoint(host, family, port), peer_id + key
        known = model.find(place, client)
        assert self.table.knows(sent) == (known is not None)
        self.downloaded[torrent] += event is Event.COMPLETED and left == 0 and not (known and model.peers[known][1])
        self.table.announce(sent, self.now)
        model.put(place, client, left == 0, event is Event.PAUSED and left != 0, self.now)
        self.outside[torrent].discard(place)

    @rule(torrent=TORRENTS, family=FAMILIES, host=HOSTS, peer_id=PEER_IDS, port=PORTS | st.just(0), key=KEYS)
    def stops(self, torrent, family, host, peer_id, port, key):
        sent = announce(host, torrent, family, peer_id=peer_id, port=port, key=key, event=Event.STOPPED)
        self.table.announce(sent, self.now)
        model = self.models[torrent, family]
        found = model.find(endpoint(host, family, port), peer_id + key)
        if found is not None and model.peers[found][0][:20] == peer_id:
            model.drop(found)

    @rule(torrent=TORRENTS, hosts=st.lists(HOSTS | st.integers(5, 8), max_size=4), port=PORTS)
    def hears(self, torrent, hosts, port):
        told = [endpoint(host, V4, port) for host in hosts]
        swarm = dict(self.table).get(octets(torrent))
        self.table.hear(octets(torrent), News(peers=b"".join(told)), self.now)
        if swarm is not None:
            self.outside[torrent] |= set(told) - self.models[torrent, V4].peers.keys()

    @rule(seconds=st.sampled_from([1.0, AGE / 2, AGE]))
    def time_passes(self, seconds):
        self.now += seconds
        for _ in range(ROUND):
            self.table.expire(self.now)
        for model in self.models.values():
            for old in [place for place, peer in model.peers.items() if peer[3] < self.now - AGE]:
                model.drop(old)
        for torrent in ("one", "two"):
            if not self.models[torrent, V4].peers and not self.models[torrent, V6].peers:
                del self.downloaded[torrent]
                self.outside[torrent].clear()

    @invariant()
    def as_many_peers_are_counted(self):
        assert self.table.peers == sum(len(model.peers) for model in self.models.values())

    @invariant()
    def figures_are_right(self):
        for torrent in ("one", "two"):
            all_peers = [*self.models[torrent, V4].peers.values(), *self.models[torrent, V6].peers.values()]
            seeders = sum(peer[1] for peer in all_peers)
            paused = sum(peer[2] for peer in all_peers)
            leechers = len(all_peers) - seeders
            expected = Figures(seeders, self.downloaded[torrent], leechers, leechers - paused)
            assert self.table.figures(octets(torrent)) == expected

    @invariant()
    def everybody_can_be_drawn(self):
        for info_hash, swarm in self.table:
            torrent = info_hash.rstrip(b".").decode()
            for family in (V4, V6):
                model = self.models[torrent, family]
                told = swarm.candidates(family, -1, False, 1000, self.table.random)
                outside = self.outside[torrent] if family == V4 else set()
                assert {each.endpoint for each in told if each.peer_id} == model.peers.keys()
                assert all(model.peers[each.endpoint][0][:20] == each.peer_id for each in told if each.peer_id)
                assert sorted(each.endpoint for each in told if not each.peer_id) == sorted(outside)

    @rule(torrent=TORRENTS, family=FAMILIES, count=st.integers(0, 12), seeder=st.booleans(), data=st.data())
    def asks(self, torrent, family, count, seeder, data):
        """Some client that is there announces again, and is told of others."""
        model = self.models[torrent, family]
        if not model.peers:
            return
        place = data.draw(st.sampled_from(sorted(model.peers)))
        client = model.peers[place][0]
        sent = announce(1, torrent, family, peer_id=client[:20], key=client[20:], left=0 if seeder else 1)
        sent.address, sent.port = place[:-2], int.from_bytes(place[-2:])
        swarm, slot = self.table.announce(sent, self.now)
        model.put(place, client, seeder, False, self.now)
        told = split(swarm.compact(family, slot, seeder, count, self.table.random), family)
        wanted = {other for other, peer in model.peers.items() if other != place and not (seeder and peer[1])}
        outside = self.outside[torrent] if family == V4 else set()
        assert len(told) == len(set(told)) == min(count, len(wanted) + len(outside))
        assert set(told) <= wanted | outside


TableMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
test_the_table_agrees_with_its_model = TableMachine.TestCase
