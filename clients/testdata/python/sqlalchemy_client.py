"""SQLAlchemy over PyMySQL: its reflection, its parameters and its transactions."""

import datetime
import decimal

import sqlalchemy
from sqlalchemy import create_engine, exc, inspect, text

from lines import DATABASE, ESTIMATE, EXACT, HOST, PASSWORD, PORT, REFUSED, THINGS, USER, columns, figures, line

engine = create_engine(sqlalchemy.URL.create("mysql+pymysql", USER, PASSWORD, HOST, PORT, DATABASE))
inspector = inspect(engine)
kinds = {name: "table" for name in inspector.get_table_names()} | {name: "view" for name in inspector.get_view_names()}
for name in sorted(kinds):
    line("table " + name, kinds[name])
for schema, table in [(DATABASE, "things"), ("published", "people")]:
    for c in inspector.get_columns(table, schema=schema):
        kind = c["type"]
        kind = "bigint unsigned" if getattr(kind, "unsigned", False) else str(kind).split(" ")[0].lower().replace(", ", ",")
        if isinstance(c["type"], sqlalchemy.types.DECIMAL):
            kind = "decimal(%d,%d)" % (c["type"].precision, c["type"].scale)
        line("column %s.%s" % (table, c["name"]), kind, "null" if c["nullable"] else "not null")
for table in "parts", "things":
    line("key " + table, *inspector.get_pk_constraint(table)["constrained_columns"])
for index in inspector.get_indexes("things"):
    line("index " + index["name"], ("unique " if index["unique"] else "") + ", ".join(index["column_names"]))

with engine.connect() as connection:
    columns("values", connection.execute(text(THINGS)).all())
    figures(connection.execute(text(ESTIMATE)).all(), connection.execute(text(EXACT)).all())
    for row in connection.execute(text("SHOW WARNINGS")):
        line("warnings", row[0].lower(), row[1])
    large = connection.execution_options(stream_results=True, max_row_buffer=100).execute(text("SELECT n, text FROM many ORDER BY n"))
    rows = total = length = 0
    for n, t in large:
        rows, total, length = rows + 1, total + n, length + len(t)
    line("large", rows, total, length)

# The tables as it has reflected them.
meta = sqlalchemy.MetaData()
things = sqlalchemy.Table("things", meta, autoload_with=engine)
changes = sqlalchemy.Table("changes", meta, autoload_with=engine)
people = sqlalchemy.Table("people", meta, schema="published", autoload_with=engine)
with engine.connect() as connection:
    for name, condition in [
        ("decimal", things.c.price > decimal.Decimal("12.49")),
        ("text", things.c.name == "Zoë 東京 😀"),
        ("quoted", things.c.note == "it's \"quoted\" \\ and 100%"),
        ("bytes", things.c.bytes == b"\x00\xff'\"\\\n"),
        ("day", things.c.day == datetime.date(2024, 2, 29)),
        ("moment", things.c.moment < datetime.datetime(1970, 1, 1)),
        ("double", things.c.ratio == 0.1),
        ("big", things.c.big == 9223372036854775807),
        ("null", things.c.day.is_(None)),
    ]:
        line("prepared " + name, *connection.scalars(sqlalchemy.select(things.c.id).where(condition).order_by(things.c.id)))
    hiv = sqlalchemy.select(sqlalchemy.func.count()).select_from(people).where(people.c.age >= 60, people.c.disease == "HIV")
    line("prepared estimate", connection.scalar(hiv))

with engine.connect() as connection:
    connection.execute(changes.insert(), {"id": 1, "text": "undone"})
    connection.rollback()
    line("changes rolled back", connection.scalar(sqlalchemy.select(sqlalchemy.func.count()).select_from(changes)))
    connection.execute(changes.insert(), [{"id": 1, "text": "one"}, {"id": 2, "text": "two"}, {"id": 3, "text": None}])
    connection.commit()
    line("changes committed", connection.scalar(sqlalchemy.select(sqlalchemy.func.count()).select_from(changes)))
    line("changes affected", connection.execute(changes.update().where(changes.c.id < 3).values(text="both")).rowcount)
    connection.commit()
    line("changes last id", connection.execute(things.insert(), {"name": "fifth"}).inserted_primary_key[0])
    connection.rollback()
    for name, statement in REFUSED:
        try:
            connection.execute(text(statement))
            line("error " + name, "none")
        except exc.DBAPIError as e:
            line("error " + name, e.orig.args[0])
        connection.rollback()
