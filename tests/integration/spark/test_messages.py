from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from datafolders import opened
from feedlogs import key
from forebay_spark.sources.messages import FORMAT, TABLES, MessagesSource


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    async with opened(tmp_path) as data:
        await data.accept(0, 40)
        await data.release(range(10))
    return tmp_path


@pytest.fixture
def load(spark):
    def table(folder: Path, name: str, **options: object) -> DataFrame:
        return spark.read.format(FORMAT).options(path=str(folder), table=name, **options).load()

    spark.dataSource.register(MessagesSource)
    return table


@pytest.mark.parametrize("table", ["index", "references"])
def test_rows_of_a_table_are_those_of_all_parts(load, folder, table):
    found = load(folder, table, parts=3).select("id").collect()
    assert sorted(bytes(row["id"]) for row in found) == sorted(key(number) for number in range(10, 40))


def test_records_come_in_a_partition_for_some_files(load, folder):
    records = load(folder, "records", parts=3)
    assert records.rdd.getNumPartitions() >= 3
    assert {bytes(row["id"]) for row in records.collect()} >= {key(number) for number in range(10, 40)}


def test_table_of_what_is_not_there_is_empty(load, folder):
    assert load(folder, "entries").count() == 0


def test_columns_can_be_chosen(load, folder):
    (row,) = load(folder, "records").groupBy("state").count().collect()
    assert row["state"] == "whole"


def test_unknown_table_is_told(load, folder):
    with pytest.raises(PySparkException, match="there are records"):
        load(folder, "bodies")


def test_folder_without_messages_is_told(load, tmp_path):
    with pytest.raises(PySparkException, match="data folder"):
        load(tmp_path, "records").count()


def test_tables_have_schemas_that_spark_reads(load, folder):
    for name in TABLES:
        assert load(folder, name).columns
