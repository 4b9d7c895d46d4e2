// Package completed counts the records of completed tables, by table and combination of classes.
//
// Where groups have at most 64 records and a question few combinations of classes, the tables are bit planes
// of places, and 64 rows are counted at a time: see package planes. All other questions look at every row. The classes are found as for
// the weighted join, but per slot of a block of some groups: the records of a fragment, tuples repeated by their counts. A
// table says which slot of a fragment belongs to which of the first one, so that a
// row costs a look-up per touched fragment beyond the first, in an array that the
// nearest cache holds, and an increment of a counter. Where the question has up to half as many
// combinations as there are records, each has a counter;
// else they are numbered as they occur. Rows whose tuple of the first fragment fails
// a condition are left out once for all tables, as are groups without a tuple that
// meets the most selective one.
//
// The mean over all tables of COUNT, SUM and AVG by keys of one fragment needs no table: the
// number of rows of all tables with a tuple of the keys' fragment and one of another says as
// much. There are as many numbers as pairs of tuples in a group, made when two fragments are
// first asked for together, at about the cost of an answer from the tables. An answer from them
// takes a multiplication for every four pairs. Standard errors come from the tables.
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
//	paired_meet    what rows meet, eight tuples at a time, block by block
//	units          how many units have a row that counts
package completed
