"""Anonymizes table.csv of a directory by another tool, with the hierarchies beside it.

    python others.py TOOL DIRECTORY K L FILE

TOOL is anjana, anonypy, anonypyx or anonymity-api. L of 0 is none; else the tool is asked for what comes
nearest to "a sensitive value has a share of at most 1/L of a class". FILE gets a line a record.
"""
import csv
import os
import sys

import pandas

tool, folder, k, l, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
table = pandas.read_csv(os.path.join(folder, "table.csv"))
quasi, sensitive = list(table.columns[:-1]), table.columns[-1]
numbers = set(table.select_dtypes("number"))


def levels(name):
    """The columns of a hierarchy file: level 0 are the values."""
    with open(os.path.join(folder, name + ".csv"), newline="") as file:
        return list(zip(*csv.reader(file, delimiter=";")))


def anjana():
    # (alpha, k)-anonymity is the share, with 5 percent of the records to drop. Values are texts.
    import numpy
    from anjana import anonymity

    text = table.astype(str)
    hierarchies = {name: {i: numpy.array(level) for i, level in enumerate(levels(name))} for name in quasi}
    if l == 0:
        return anonymity.k_anonymity(text, [], quasi, k, 5, hierarchies)
    return anonymity.alpha_k_anonymity(text, [], quasi, sensitive, k, 1 / l, 5, hierarchies)


def categories():
    """Texts as categories, which anonypy and anonypyx split by their values; neither reads hierarchies."""
    return table.assign(**{name: table[name].astype("category") for name in table.columns if name not in numbers})


def repeated(rows):
    """Rows with a count, a row a record. anonypy's cells are lists of one text."""
    rows = pandas.DataFrame(rows).map(lambda cell: cell[0] if isinstance(cell, list) else cell)
    return rows.loc[rows.index.repeat(rows["count"])]


def anonypy():
    # l is the number of different values: there is no bound of a share.
    import anonypy

    p = anonypy.Preserver(categories(), quasi, sensitive)
    return repeated(p.anonymize_k_anonymity(k=k) if l == 0 else p.anonymize_l_diversity(k=k, l=l))


def anonypyx():
    # As anonypy.
    import anonypyx

    more = {} if l == 0 else {"l": l, "diversity_definition": "distinct"}
    return repeated(anonypyx.Anonymiser(categories(), k=k, algorithm="Mondrian", feature_columns=quasi, sensitive_column=sensitive,
                                        generalisation_strategy="human-readable", **more).anonymise())


def anonymity_api():
    # Recursive (c, l)-diversity with c = 1/(L-1) and l = 2 is the share; it is not asked with k. Only numbers are split.
    from anonymity_api import anonymity

    taxonomies = {name: os.path.join(folder, name + ".csv") for name in quasi if name not in numbers}
    if l == 0:
        return anonymity.k_anonymity(table, quasi, k, taxonomies=taxonomies)
    return anonymity.recursive_cl_diversity(table, quasi, [sensitive], 1 / (l - 1), 2, taxonomies=taxonomies)


tools = {"anjana": anjana, "anonypy": anonypy, "anonypyx": anonypyx, "anonymity-api": anonymity_api}
tools[tool]()[quasi + [sensitive]].to_csv(out, index=False)
