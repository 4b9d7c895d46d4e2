"""ibis over mysqlclient: questions written in Python, which it makes SQL of."""

import datetime
import decimal

import ibis
import pandas

from lines import COLUMNS, DATABASE, ESTIMATE, HOST, PASSWORD, PORT, USER, line

# MySQL's names of its types.
TYPES = {"int8": "tinyint", "int16": "smallint", "int32": "int", "int64": "bigint", "uint64": "bigint unsigned", "float64": "double", "timestamp": "datetime", "string": "text", "binary": "blob"}


def named(kind):
    name = str(kind).lstrip("!").replace(", ", ",").replace("timestamp(6)", "timestamp").replace("string(", "varchar(")
    return TYPES.get(name, name)


connection = ibis.mysql.connect(host=HOST, port=PORT, user=USER, password=PASSWORD, database=DATABASE)
things, people = connection.table("things"), connection.table("people", database="published")
for name in sorted(connection.list_tables()):
    line("table " + name, "table")
for table, of in ("things", things), ("people", people):
    for name, kind in of.schema().items():
        line("column %s.%s" % (table, name), named(kind), "null" if kind.nullable else "not null")

frame = things.order_by("id").execute()
for name in COLUMNS:
    line("values " + name, *(None if pandas.isna(v) else v.item() if hasattr(v, "item") else v for v in frame[name]))
for name, condition in [
    ("decimal", things.price > decimal.Decimal("12.49")),
    ("text", things.name == "Zoë 東京 😀"),
    ("quoted", things.note == "it's \"quoted\" \\ and 100%"),
    ("bytes", things.bytes == b"\x00\xff'\"\\\n"),
    ("day", things.day == datetime.date(2024, 2, 29)),
    ("moment", things.moment < datetime.datetime(1970, 1, 1)),
    ("double", things.ratio == 0.1),
    ("big", things.big == 9223372036854775807),
    ("null", things.day.isnull()),
]:
    line("prepared " + name, *things.filter(condition).order_by("id").id.execute())
line("prepared estimate", people.filter((people.age >= 60) & (people.disease == "HIV")).count().execute())

for row in people.group_by("sex").aggregate(n=people.count(), years=people.age.sum()).order_by("sex").execute().itertuples(index=False):
    line("exact " + row[0], *row[1:])
with connection.raw_sql(ESTIMATE) as cursor:
    for row in cursor.fetchall():
        line("estimate " + row[0], *row[1:])
rows = total = length = 0
for batch in connection.table("many").order_by("n").to_pyarrow_batches(chunk_size=1000):
    rows, total, length = rows + len(batch), total + sum(batch["n"].to_pylist()), length + sum(map(len, batch["text"].to_pylist()))
line("large", rows, total, length)
