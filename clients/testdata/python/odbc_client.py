"""MariaDB's ODBC driver, as Excel, Tableau and Power BI see a server: its calls for metadata above all."""

import sys

import pyodbc

import dbapi
from lines import DATABASE, ESTIMATE, EXACT, HOST, PASSWORD, PORT, REFUSED, THINGS, USER, columns, line

connection = pyodbc.connect("DRIVER={%s};SERVER=%s;PORT=%d;UID=%s;PWD=%s;DATABASE=%s;CHARSET=utf8mb4" % (sys.argv[1], HOST, PORT, USER, PASSWORD, DATABASE), autocommit=False)
cursor = connection.cursor()
columns("values", dbapi.ask(cursor, THINGS))
dbapi.prepared(cursor, "?")
dbapi.answers(cursor)
for name, query in ("things", THINGS), ("estimate", ESTIMATE), ("exact", EXACT):
    described = cursor.execute(query).description
    line("types " + name, *(d[1].__name__ for d in described))
    if name == "things":
        line("sizes things", *(d[3] for d in described))
cursor.fetchall()

cursor.execute("INSERT INTO changes VALUES (1, 'undone')")
connection.rollback()
line("changes rolled back", dbapi.ask(cursor, "SELECT COUNT(*) FROM changes")[0][0])
cursor.executemany("INSERT INTO changes VALUES (?, ?)", [(1, "one"), (2, "two"), (3, None)])
connection.commit()
line("changes committed", dbapi.ask(cursor, "SELECT COUNT(*) FROM changes")[0][0])
line("changes affected", cursor.execute("UPDATE changes SET text = 'both' WHERE id < 3").rowcount)
connection.commit()
cursor.execute("INSERT INTO things (name) VALUES ('fifth')")
line("changes last id", dbapi.ask(cursor, "SELECT LAST_INSERT_ID()")[0][0])
connection.rollback()
for name, statement in REFUSED:
    try:
        cursor.execute(statement).fetchall()
        line("error " + name, "none")
    except pyodbc.Error as e:
        line("error " + name, e.args[1].rsplit("(", 2)[-2].split(")")[0])
        line("state " + name, e.args[0])
dbapi.warnings(cursor)

# SQLTables, SQLColumns, SQLPrimaryKeys, SQLStatistics, SQLSpecialColumns, SQLProcedures, SQLProcedureColumns
for t in sorted(cursor.tables(catalog=DATABASE).fetchall(), key=lambda t: t.table_name):
    line("table " + t.table_name, t.table_type.lower())
for catalog, table in (DATABASE, "things"), ("published", "people"):
    for c in cursor.columns(table=table, catalog=catalog).fetchall():
        kind = c.type_name.lower()
        if kind == "decimal":
            kind += "(%d,%d)" % (c.column_size, c.decimal_digits)
        elif kind == "varchar":
            kind += "(%d)" % c.column_size
        line("column %s.%s" % (table, c.column_name), kind, "null" if c.nullable else "not null")
for table in "parts", "things":
    line("key " + table, *(k.column_name for k in cursor.primaryKeys(table=table, catalog=DATABASE).fetchall()))
indexes = {}
for s in cursor.statistics("things", catalog=DATABASE).fetchall():
    if s.index_name:
        indexes.setdefault(s.index_name, []).append(("" if s.non_unique or indexes.get(s.index_name) else "unique ") + s.column_name)
for name in sorted(indexes):
    line("index " + name, ", ".join(indexes[name]))
line("rowid things", *(c.column_name for c in cursor.rowIdColumns("things", catalog=DATABASE).fetchall()))
line("procedures", *sorted(p.procedure_name for p in cursor.procedures(catalog=DATABASE).fetchall()))
for p in cursor.procedureColumns("double_it", catalog=DATABASE).fetchall():
    line("parameter " + p.column_name, p.type_name.lower(), "out" if p.column_type == 4 else "in")  # SQL_PARAM_OUTPUT
line("called", *cursor.execute("{CALL cheaper(?)}", 12).fetchall()[0])
dbapi.large(connection.cursor())
