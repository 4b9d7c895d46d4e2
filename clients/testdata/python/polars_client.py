"""polars over connectorx, which reads a result into columns of Arrow: by the protocol of texts, and by the binary one."""

import urllib.parse

import polars

from lines import COLUMNS, DATABASE, ESTIMATE, EXACT, HOST, PASSWORD, PORT, THINGS, USER, line

uri = "mysql://%s:%s@%s:%d/%s" % (urllib.parse.quote(USER), urllib.parse.quote(PASSWORD), HOST, PORT, DATABASE)


def read(query, protocol="binary"):
    return polars.read_database_uri(query, uri, engine="connectorx", protocol=protocol)


# connectorx 0.4 fails at any DECIMAL of more than nine digits behind the point.
for section, protocol in ("values ", "text"), ("binary ", "binary"):
    things = read(THINGS.replace("exact, ", ""), protocol)
    for name in COLUMNS:
        if name != "exact":
            line(section + name, *things[name].to_list())
for row in read(ESTIMATE).iter_rows():
    line("estimate " + row[0], *row[1:])
for row in read(EXACT).iter_rows():
    line("exact " + row[0], *row[1:])
many = read("SELECT n, text FROM many ORDER BY n")
line("large", len(many), many["n"].sum(), many["text"].str.len_chars().sum())
