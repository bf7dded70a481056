"""What the parent of Spark's workers looks for modules in."""

from forebay_spark.daemon import copied


def test_an_archive_in_the_package_that_it_is_a_copy_of_is_known():
    assert copied("/venv/lib/python3.11/site-packages/pyspark/python/lib/pyspark.zip")


def test_the_archive_of_a_spark_without_the_package_is_needed():
    assert not copied("/opt/spark/python/lib/pyspark.zip")


def test_folders_are_no_archives():
    assert not copied("/venv/lib/python3.11/site-packages")
    assert not copied("")
