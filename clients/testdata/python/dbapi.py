"""What a client of Python's DB-API shows: all that its drivers have in common."""

import datetime
import decimal

from lines import ESTIMATE, EXACT, REFUSED, THINGS, columns, figures, line

# Types of columns in the protocol, by number.
TYPES = {1: "tinyint", 2: "smallint", 3: "int", 5: "double", 8: "bigint", 10: "date", 12: "datetime", 246: "decimal", 252: "blob", 253: "varchar", 254: "char"}

# Parameters of every type, each of which must find its rows.
CONDITIONS = [
    ("decimal", "price > ?", decimal.Decimal("12.49")),
    ("text", "name = ?", "Zoë 東京 😀"),
    ("quoted", "note = ?", "it's \"quoted\" \\ and 100%"),
    ("bytes", "bytes = ?", b"\x00\xff'\"\\\n"),
    ("day", "day = ?", datetime.date(2024, 2, 29)),
    ("moment", "moment < ?", datetime.datetime(1970, 1, 1, 0, 0, 0)),
    ("double", "ratio = ?", 0.1),
    ("big", "big = ?", 9223372036854775807),
    ("null", "day <=> ?", None),
]


def ask(cursor, statement, arguments=()):
    cursor.execute(statement, arguments)
    return cursor.fetchall()


def prepared(cursor, mark="%s"):
    for name, condition, argument in CONDITIONS:
        found = ask(cursor, "SELECT id FROM things WHERE " + condition.replace("?", mark) + " ORDER BY id", (argument,))
        line("prepared " + name, *(row[0] for row in found))
    rows = ask(cursor, "SELECT COUNT(*) FROM published.people WHERE age >= {0} AND disease = {0}".format(mark), (60, "HIV"))
    line("prepared estimate", rows[0][0])


def changes(connection, cursor, mark="%s"):
    cursor.execute("INSERT INTO changes VALUES (1, 'undone')")
    connection.rollback()
    line("changes rolled back", ask(cursor, "SELECT COUNT(*) FROM changes")[0][0])
    insert = "INSERT INTO changes VALUES ({0}, {0})".format(mark)
    cursor.executemany(insert, [(1, "one"), (2, "two"), (3, None)])
    connection.commit()
    line("changes committed", ask(cursor, "SELECT COUNT(*) FROM changes")[0][0])
    cursor.execute("UPDATE changes SET text = 'both' WHERE id < 3")
    line("changes affected", cursor.rowcount)
    connection.commit()
    cursor.execute("INSERT INTO things (name) VALUES ('fifth')")
    line("changes last id", cursor.lastrowid)
    connection.rollback()


def errors(connection, cursor, failure, number, state=None):
    for name, statement in REFUSED:
        try:
            ask(cursor, statement)
        except failure as e:
            line("error " + name, number(e))
            if state:
                line("state " + name, state(e))
        else:
            line("error " + name, "none")
        connection.rollback()


def large(cursor):
    """A long result, row by row from a cursor that does not keep it."""
    cursor.execute("SELECT n, text FROM many ORDER BY n")
    rows = total = length = 0
    for n, text in cursor:
        rows, total, length = rows + 1, total + n, length + len(text)
    line("large", rows, total, length)


def types(cursor):
    cursor.execute(THINGS)
    line("types things", *(TYPES.get(d[1], d[1]) for d in cursor.description))
    cursor.fetchall()
    cursor.execute(ESTIMATE)
    line("types estimate", *(TYPES.get(d[1], d[1]) for d in cursor.description))
    cursor.fetchall()
    cursor.execute(EXACT)
    line("types exact", *(TYPES.get(d[1], d[1]) for d in cursor.description))
    cursor.fetchall()


def values(cursor):
    columns("values", ask(cursor, THINGS))


def answers(cursor):
    figures(ask(cursor, ESTIMATE), ask(cursor, EXACT))


def warnings(cursor):
    """The note of an estimate, by the client's own statement: level and number."""
    ask(cursor, ESTIMATE)
    for level, number, _ in ask(cursor, "SHOW WARNINGS"):
        line("warnings", str(level).lower(), number)
