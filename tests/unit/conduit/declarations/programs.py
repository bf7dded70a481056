"""Programs on nodes of a simulated network."""

from collections import defaultdict

from forebay.conduit.core.declarations.events import DeclarationChange
from forebay.conduit.core.participant import Participant
from forebay.conduit.core.wire.extras import Extra, Extras

ALL_AGREED = Extras(Extra.QUERIES | Extra.HISTORY | Extra.LIVELINESS)


class Program:
    """A program on a node."""

    def __init__(self, net, name, *, offers=ALL_AGREED, session=(), **options):
        self.net = net
        self.sim = net.start(name, session={"extras": offers, **dict(session)}, **options)
        self.participant = Participant(self.sim.node)
        self.received = defaultdict(list)
        """Payloads by URI."""
        self.deliveries = []

    @property
    def node(self):
        return self.sim.node

    @property
    def register(self):
        return self.sim.node.declarations

    def call(self, name, *arguments, **options):
        result = getattr(self.participant, name)(*arguments, self.net.now, **options)
        self.net.pump(self.sim)
        return result

    def subscribe(self, resource, **options):
        def take(delivery):
            self.received[delivery.uri] += delivery.payloads
            self.deliveries.append(delivery)

        return self.call("declare_subscriber", resource, take, **options)

    def publish(self, resource, **options):
        return self.call("declare_publisher", resource, **options)

    def write(self, publisher, *samples):
        write = self.participant.write(publisher, samples, self.net.now)
        self.net.pump(self.sim)
        return write

    def define(self, uri, rid=None, **options):
        return self.call("declare_resource", uri, rid=rid, **options)

    def events(self, change):
        return [event for event in self.sim.listener.declarations if event.change is change]

    @property
    def conflicts(self):
        return self.events(DeclarationChange.CONFLICT)

    @property
    def refusals(self):
        return self.events(DeclarationChange.REFUSED)

    def reaches(self, publisher):
        """Indexes of the peers that its samples go to."""
        return self.register.subscribers(self.node.publisher(publisher).settings.rid)

    def knows(self, uri):
        return self.register.directory.names.resources.exactly(uri)


def meet(net, *programs):
    """Wait until all have sessions with each other, and know what there is."""
    net.run_until(lambda: all(len(each.sim.peers) == len(programs) - 1 for each in programs))
    net.run_until(lambda: all(book.caught_up for each in programs for book in each.register.books.values()))
