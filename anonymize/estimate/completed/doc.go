// Package completed counts the records of completed tables, by table and combination of classes.
//
// Where groups have at most 64 records and a question few combinations of classes, the tables are bit planes of places, and 64 rows are
// counted at a time: see package planes. All other questions look at every row. The classes are found as for the weighted join, but per
// slot of a block of some groups: the records of a fragment, tuples repeated by their counts. A table maps the slots of the first
// fragment to those of the others, so a row costs one look-up per touched fragment beyond the first, in an array that fits the L1
// cache, and one increment of a counter. If the question has at most half as many combinations as there are records, each has a
// counter; otherwise combinations are numbered as they occur. Rows whose tuple of the first fragment fails a condition are skipped once
// for all tables, and so are groups without a tuple that meets the most selective condition.
//
// The mean over all tables of COUNT, SUM and AVG by keys of one fragment does not need the single
// tables. It suffices to know, for every pair of a tuple of the keys' fragment and a tuple of
// another, how many rows of all tables have both. These numbers are counted when a question first
// reads two fragments together, at about the cost of one answer from the tables. An answer from
// them takes one multiplication for every four pairs. Standard errors still come from the tables.
//
// Of a million records and 8 tables COUNT over three columns took 1.0 ms of processor time, and a GROUP BY of a
// thousand keys 12 (a virtual core of an Intel Xeon under other load, the least of 31).
//
// # Where things are
//
//	record_tables  the tables of a release, and what is prepared to count them
//	scan           completed tables -> the records of every combination of classes, block by block
//	rows           loops over the rows of a block and a table, and counters
//	paired         COUNT, SUM and AVG of single columns, without spreads: no table by itself
//	paired_counts  how many rows of all tables have a tuple of a fragment and one of another
//	paired_tuples  the tuples that count, and their classes
//	paired_meet    tuples that meet in a row, eight at a time, block by block
//	units          how many units have a row that counts
package completed
