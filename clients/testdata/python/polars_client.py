"""polars over connectorx, which reads a result by the binary protocol into columns of Arrow."""

import urllib.parse

import polars

from lines import COLUMNS, DATABASE, ESTIMATE, EXACT, HOST, PASSWORD, PORT, THINGS, USER, line

uri = "mysql://%s:%s@%s:%d/%s" % (urllib.parse.quote(USER), urllib.parse.quote(PASSWORD), HOST, PORT, DATABASE)


def read(query):
    return polars.read_database_uri(query, uri, engine="connectorx")


# connectorx 0.4 fails at any DECIMAL of more than nine digits behind the point.
things = read(THINGS.replace("exact, ", ""))
for name in COLUMNS:
    if name != "exact":
        line("values " + name, *things[name].to_list())
for row in read(ESTIMATE).iter_rows():
    line("estimate " + row[0], *row[1:])
for row in read(EXACT).iter_rows():
    line("exact " + row[0], *row[1:])
many = read("SELECT n, text FROM many ORDER BY n")
line("large", len(many), many["n"].sum(), many["text"].str.len_chars().sum())
