"""pandas over SQLAlchemy and PyMySQL: frames read and written."""

import numpy
import pandas
import sqlalchemy

import dbapi
from lines import COLUMNS, DATABASE, ESTIMATE, EXACT, HOST, PASSWORD, PORT, THINGS, USER, line

engine = sqlalchemy.create_engine(sqlalchemy.URL.create("mysql+pymysql", USER, PASSWORD, HOST, PORT, DATABASE))


def value(v):
    """pandas has its own scalars, and NaN or NaT in the place of NULL."""
    if v is None or v is pandas.NaT or (isinstance(v, float) and numpy.isnan(v)):
        return None
    return v.item() if isinstance(v, numpy.generic) else v


things = pandas.read_sql(THINGS, engine)
for name in COLUMNS:
    line("values " + name, *(value(v) for v in things[name]))
for row in pandas.read_sql(ESTIMATE, engine).itertuples(index=False):
    line("estimate " + row[0], *row[1:])
exact = pandas.read_sql(EXACT, engine)
for row in exact.itertuples(index=False):
    line("exact " + row[0], *(value(v) for v in row[1:]))
found = pandas.read_sql("SELECT COUNT(*) FROM published.people WHERE age >= %(age)s AND disease = %(disease)s", engine, params={"age": 60, "disease": "HIV"})
line("prepared estimate", value(found.iloc[0, 0]))
for name, condition, argument in dbapi.CONDITIONS:
    found = pandas.read_sql("SELECT id FROM things WHERE " + condition.replace("?", "%s") + " ORDER BY id", engine, params=(argument,))
    line("prepared " + name, *(value(v) for v in found["id"]))
rows = total = length = 0
with engine.connect().execution_options(stream_results=True) as connection:
    for part in pandas.read_sql("SELECT n, text FROM many ORDER BY n", connection, chunksize=1000):
        rows, total, length = rows + len(part), total + int(part["n"].sum()), length + int(part["text"].str.len().sum())
line("large", rows, total, length)
frame = pandas.DataFrame({"id": [1, 2, 3], "text": ["one", "two", None]})
with engine.connect() as connection:
    transaction = connection.begin()
    frame.to_sql("changes", connection, if_exists="append", index=False)
    transaction.rollback()
line("changes rolled back", len(pandas.read_sql("changes", engine)))
frame.to_sql("changes", engine, if_exists="append", index=False)
line("changes committed", len(pandas.read_sql("changes", engine)))
