"""A change of a pod template rolls every pod at the next upgrade of the operator: these files show it in a review."""

from pathlib import Path

import pytest
import yaml

from compactionobjects import compaction, spark_run, spark_settings
from forebay_operator.resources import purge_job, spark_application, spark_job
from operatorobjects import (
    UID,
    feeding_outfeed,
    listening_router,
    managed_spill,
    meeting_conduitnode,
    objects_of_announcer,
    objects_of_conduitnode,
    objects_of_outfeed,
    objects_of_router,
    objects_of_store,
    objects_of_valkey,
    settings,
)

FOLDER = Path(__file__).parent / "golden"
OBJECTS = {
    "outfeed": objects_of_outfeed(feeding_outfeed()),
    "store": objects_of_store(),
    "announcer": objects_of_announcer(spill="0123"),
    "conduitnode": objects_of_conduitnode(meeting_conduitnode(), spill="0123"),
    "router": objects_of_router(listening_router(), spill="0123"),
    "valkey": objects_of_valkey(),
    "compaction": [
        spark_application(spark_run(), spark_settings()),
        spark_job(spark_run(compaction(job="compact-outcomes", engine="Job")), spark_settings()),
    ],
    "purge": [purge_job(managed_spill(), "Outfeed", UID, settings())],
}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_are_what_they_were(name):
    assert OBJECTS[name] == list(yaml.safe_load_all((FOLDER / f"{name}.yaml").read_text()))
