"""Runs statements of Spark SQL: each is a line of standard input, as JSON; its rows, or its error, are a line of standard output.

A value is a pair of its kind and its text, or null.
"""
import datetime
import decimal
import json
import os
import sys

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what Spark says goes with its log

from pyspark.sql import SparkSession  # noqa: E402

KINDS = {bool: "boolean", int: "whole", float: "double", str: "text", decimal.Decimal: "decimal", datetime.date: "date", datetime.datetime: "moment"}


def pair(value):
    if value is None:
        return None
    return [KINDS[type(value)], str(value)]


spark = SparkSession.builder.master("local[2]")
for name, setting in {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.warehouse.dir": os.path.join(os.getcwd(), "warehouse"),
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
}.items():
    spark = spark.config(name, setting)
spark = spark.getOrCreate()
for line in sys.stdin:
    try:
        answer = {"rows": [[pair(v) for v in row] for row in spark.sql(json.loads(line)).collect()]}
    except Exception as problem:  # whatever it is, the test is told
        answer = {"error": str(problem)[:4000]}
    print(json.dumps(answer), file=answers, flush=True)
