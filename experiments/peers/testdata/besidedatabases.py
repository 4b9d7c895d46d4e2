"""Asks DuckDB and SQLite what BenchmarkBeside of anonymize/estimate asks of a release: records in groups of 7, 8 completed tables, keys of
100 and 10 values, all in memory. Processor time and time, the least and the median of 15 (SQLite: 3), in every form of the relations that is quick.

    pip install duckdb && python3 besidedatabases.py 1000000
    ANONSQL_TESTS=all go test -run '^$' -bench Beside/records=1000000/ -benchtime 31x ./anonymize/estimate
"""
import resource
import sqlite3
import statistics
import sys
import time

import duckdb

RECORDS = int(sys.argv[1])
TABLES = range(8)


def processor():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure(name, ask, times):
    spent = []
    for _ in range(times):
        began, used = time.perf_counter(), processor()
        ask()
        spent.append((1e3 * (processor() - used), 1e3 * (time.perf_counter() - began)))
    cpu, wall = zip(*spent)
    print(f"{name:44} processor {min(cpu):8.1f}, median {statistics.median(cpu):8.1f}; time {min(wall):8.1f}, median {statistics.median(wall):8.1f}", flush=True)


db = duckdb.connect()
db.execute("SET threads = 2")
drawn = ", ".join(f"(hash(i * 31 + {d} * 1000003) % 10)::UTINYINT AS s{d}" for d in TABLES)
db.execute(f"""CREATE TABLE wide AS SELECT (i // 7)::INTEGER AS gid, (hash(i) % 100)::UTINYINT AS k, (hash(i * 7) % 10)::UTINYINT AS c, {drawn}
               FROM range({RECORDS}) t(i)""")
db.execute("CREATE TABLE long AS " + " UNION ALL ".join(f"SELECT {d}::UTINYINT AS draw, k, c, s{d} AS s FROM wide" for d in TABLES))
for table, column in ("f0", "k"), ("f1", "s0"):
    db.execute(f"CREATE TABLE {table} AS SELECT gid, {column} AS v, count(*)::INTEGER AS n FROM wide GROUP BY ALL ORDER BY gid")
each = " UNION ALL ".join(f"SELECT {d} AS draw, k, s{d} AS s, count(*) AS n FROM wide GROUP BY k, s{d}" for d in TABLES)
conditions = "FROM wide WHERE k < 71 AND c < 7"
QUESTIONS = {
    "COUNT, a row a record": "SELECT " + ", ".join(f"count(*) FILTER (s{d} < 5)" for d in TABLES) + " " + conditions,
    "COUNT, a row a record and table": "SELECT draw, count(*) FROM long WHERE k < 71 AND c < 7 AND s < 5 GROUP BY draw",
    "GROUP BY, a row a record": f"SELECT k, s, sum(n) / 8, stddev_samp(n) FROM ({each}) GROUP BY ALL",
    "GROUP BY, a row a record and table": """SELECT k, s, sum(n) / 8, stddev_samp(n)
                                             FROM (SELECT draw, k, s, count(*) AS n FROM long GROUP BY ALL) GROUP BY ALL""",
    "hard bounds": """SELECT f0.v, f1.v, sum(greatest(0, f0.n + f1.n - 7)), sum(least(f0.n, f1.n))
                      FROM f0 JOIN f1 USING (gid) GROUP BY ALL""",
}
print(f"{RECORDS} records, DuckDB {duckdb.__version__} and SQLite {sqlite3.sqlite_version}, ms")
for name, sql in QUESTIONS.items():
    measure("DuckDB: " + name, lambda: db.execute(sql).fetchall(), 15)

lite = sqlite3.connect(":memory:")
for table in "wide", "f0", "f1":
    rows = db.execute(f"SELECT * FROM {table}")
    names = [c[0] for c in rows.description]
    key = ", PRIMARY KEY (gid, v)) WITHOUT ROWID" if "v" in names else ")"
    lite.execute(f"CREATE TABLE {table} ({', '.join(n + ' INTEGER' for n in names)}{key}")
    while chunk := rows.fetchmany(100_000):
        lite.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", chunk)
lite.execute("ANALYZE")
QUESTIONS = {
    "COUNT, a row a record": "SELECT " + ", ".join(f"sum(s{d} < 5)" for d in TABLES) + " " + conditions,
    "GROUP BY, a row a record": f"SELECT k, s, sum(n) / 8.0, sum(n * n) FROM ({each}) GROUP BY k, s",  # it has no standard deviation
    "hard bounds": """SELECT f0.v, f1.v, sum(max(0, f0.n + f1.n - 7)), sum(min(f0.n, f1.n))
                      FROM f0 JOIN f1 USING (gid) GROUP BY f0.v, f1.v""",
}
for name, sql in QUESTIONS.items():
    measure("SQLite: " + name, lambda: lite.execute(sql).fetchall(), 3)
