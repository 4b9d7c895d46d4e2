"""ibis over mysqlclient: questions written in Python, which it makes SQL of."""

import ibis

from lines import DATABASE, ESTIMATE, EXACT, HOST, PASSWORD, PORT, USER, line

connection = ibis.mysql.connect(host=HOST, port=PORT, user=USER, password=PASSWORD, database=DATABASE)
for name in sorted(connection.list_tables()):
    line("table " + name, "table")
schema = connection.table("things").schema()
line("types things", *(str(kind).lstrip("!") for kind in schema.types))
things = connection.table("things")
line("prepared decimal", *things.filter(things.price > 12.49).order_by("id").id.execute())
line("prepared text", *things.filter(things.name == "Zoë 東京 😀").id.execute())
people = connection.table("people", database="published")
line("prepared estimate", people.filter((people.age >= 60) & (people.disease == "HIV")).count().execute())
for section, query in ("estimate ", ESTIMATE), ("exact ", EXACT):
    with connection.raw_sql(query) as cursor:
        for row in cursor.fetchall():
            line(section + row[0], *row[1:])
