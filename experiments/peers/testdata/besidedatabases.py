"""Asks DuckDB what BenchmarkBeside of anonymize/estimate asks of a release: a million records in groups of 7, 8 completed tables,
keys of 100 and 10 values. Processor time and time, the least and the median of 15, in every form of the relations that is quick.

    pip install duckdb && python3 besideduckdb.py && go test -run '^$' -bench Beside -benchtime 31x ./anonymize/estimate
"""
import resource
import statistics
import time

import duckdb

TABLES = range(8)
db = duckdb.connect()
db.execute("SET threads = 2")
drawn = ", ".join(f"(hash(i * 31 + {d} * 1000003) % 10)::UTINYINT AS s{d}" for d in TABLES)
db.execute(f"""CREATE TABLE wide AS SELECT (i // 7)::INTEGER AS gid, (hash(i) % 100)::UTINYINT AS k, (hash(i * 7) % 10)::UTINYINT AS c, {drawn}
               FROM range(1000000) t(i)""")
db.execute("CREATE TABLE long AS " + " UNION ALL ".join(f"SELECT {d}::UTINYINT AS draw, k, c, s{d} AS s FROM wide" for d in TABLES))
for table, column in ("f0", "k"), ("f1", "s0"):
    db.execute(f"CREATE TABLE {table} AS SELECT gid, {column} AS v, count(*)::INTEGER AS n FROM wide GROUP BY ALL ORDER BY gid")
each = " UNION ALL ".join(f"SELECT {d} AS draw, k, s{d} AS s, count(*) AS n FROM wide GROUP BY ALL" for d in TABLES)
counts = ", ".join(f"count(*) FILTER (s{d} < 5)" for d in TABLES)
QUESTIONS = {
    "COUNT, a row a record": f"SELECT {counts} FROM wide WHERE k < 71 AND c < 7",
    "COUNT, a row a record and table": "SELECT draw, count(*) FROM long WHERE k < 71 AND c < 7 AND s < 5 GROUP BY draw",
    "GROUP BY, a row a record": f"SELECT k, s, sum(n) / 8, stddev_samp(n) FROM ({each}) GROUP BY ALL",
    "GROUP BY, a row a record and table": """SELECT k, s, sum(n) / 8, stddev_samp(n)
                                             FROM (SELECT draw, k, s, count(*) AS n FROM long GROUP BY ALL) GROUP BY ALL""",
    "hard bounds": """SELECT f0.v, f1.v, sum(greatest(0, f0.n + f1.n - 7)), sum(least(f0.n, f1.n))
                      FROM f0 JOIN f1 USING (gid) GROUP BY ALL""",
}


def processor():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


print(f"DuckDB {duckdb.__version__}, ms")
for name, sql in QUESTIONS.items():
    times = []
    for _ in range(15):
        began, used = time.perf_counter(), processor()
        db.execute(sql).fetchall()
        times.append((1e3 * (processor() - used), 1e3 * (time.perf_counter() - began)))
    cpu, wall = zip(*times)
    print(f"{name:36} processor {min(cpu):6.1f}, median {statistics.median(cpu):6.1f}; time {min(wall):6.1f}, median {statistics.median(wall):6.1f}")
