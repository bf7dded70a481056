"""The report on a feed: figures by Spark, plots by matplotlib, and the page that holds both."""
