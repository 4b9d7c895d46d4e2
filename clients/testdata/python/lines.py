"""What every Python client prints: lines of one form, so that one file has the expected ones."""

import datetime
import decimal
import os
import sys

HOST = os.environ["CLIENT_HOST"]
PORT = int(os.environ["CLIENT_PORT"])
USER = os.environ["CLIENT_USER"]
PASSWORD = os.environ["CLIENT_PASSWORD"]
DATABASE = os.environ["CLIENT_DATABASE"]

COLUMNS = ["id", "small", "big", "huge", "price", "exact", "ratio", "flag", "day", "moment", "fine", "name", "note", "bytes"]
THINGS = "SELECT " + ", ".join(COLUMNS) + " FROM things ORDER BY id"
ESTIMATE = """SELECT disease, COUNT(*) AS n, AVG(age) AS mean, ANON_INTERVAL_LOW(COUNT(*)) AS low, ANON_INTERVAL_HIGH(COUNT(*)) AS high
FROM published.people WHERE age >= 60 AND disease IN ('Asthma', 'Cancer', 'HIV') GROUP BY disease ORDER BY disease"""
EXACT = "SELECT sex, COUNT(*) AS n, SUM(age) AS years FROM published.people GROUP BY sex ORDER BY sex"
REFUSED = [
    ("table", "SELECT * FROM nowhere"),
    ("syntax", "SELEC 1"),
    ("duplicate", "INSERT INTO things (id, name) VALUES (1, 'again')"),
    ("raw", "SELECT COUNT(*) FROM census.people"),
    ("estimate", "SELECT RAND(), COUNT(*) FROM published.people GROUP BY RAND()"),
]


def cell(value):
    """One value as text. A type that is not the column's own shows: bytes as X'..', a text as it is."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return "%.4f" % value
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        text = value.isoformat(" ")
        return text.rstrip("0") if "." in text else text
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return "X'" + bytes(value).hex().upper() + "'"
    return str(value)


def line(key, *values):
    sys.stdout.buffer.write((key + ": " + " | ".join(cell(v) for v in values) + "\n").encode())


def columns(section, rows):
    """Rows of THINGS, a line a column."""
    for i, name in enumerate(COLUMNS):
        line(section + " " + name, *(row[i] for row in rows))


def figures(estimated, exact):
    """Rows of ESTIMATE and of EXACT."""
    for row in estimated:
        line("estimate " + row[0], *row[1:])
    for row in exact:
        line("exact " + row[0], *row[1:])
