"""mysql-connector-python; the argument says which of its two implementations: pure or c."""

import sys

import mysql.connector

import dbapi
from lines import DATABASE, HOST, PASSWORD, PORT, THINGS, USER, columns, line

connection = mysql.connector.connect(
    host=HOST, port=PORT, user=USER, password=PASSWORD, database=DATABASE, charset="utf8mb4", use_pure=sys.argv[1] == "pure")
cursor = connection.cursor(buffered=True)
dbapi.values(cursor)
binary = connection.cursor(prepared=True)
columns("binary", dbapi.ask(binary, THINGS))
dbapi.prepared(binary)
binary.close()
dbapi.types(cursor)
dbapi.answers(cursor)
dbapi.changes(connection, cursor)
dbapi.errors(connection, cursor, mysql.connector.Error, lambda e: e.errno, lambda e: e.sqlstate)
dbapi.warnings(cursor)
line("procedure", cursor.callproc("double_it", (21, 0))[1])
cursor.callproc("cheaper", (12.00,))
line("called", *next(cursor.stored_results()).fetchall()[0])
dbapi.large(connection.cursor(buffered=False))
