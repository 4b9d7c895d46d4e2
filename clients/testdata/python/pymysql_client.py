import pymysql
import pymysql.cursors

import dbapi
from lines import DATABASE, HOST, PASSWORD, PORT, USER, line

connection = pymysql.connect(host=HOST, port=PORT, user=USER, password=PASSWORD, database=DATABASE, charset="utf8mb4")
cursor = connection.cursor()
dbapi.values(cursor)
dbapi.prepared(cursor)
dbapi.types(cursor)
dbapi.answers(cursor)
dbapi.changes(connection, cursor)
dbapi.errors(connection, cursor, pymysql.Error, lambda e: e.args[0])
dbapi.warnings(cursor)
cursor.callproc("double_it", (21, 0))
line("procedure", dbapi.ask(cursor, "SELECT @_double_it_1")[0][0])
cursor.callproc("cheaper", (12.00,))
line("called", *cursor.fetchall()[0])
cursor.nextset()
dbapi.large(connection.cursor(pymysql.cursors.SSCursor))
