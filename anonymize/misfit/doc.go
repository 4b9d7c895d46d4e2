// Package misfit measures how wrong the completed tables of a release are
// ([impute.Complete]), by two and three attributes, from the release alone: from what is
// published, the public parameters of its method, and completed tables. It imports no
// raw table and no method; the method is handed in. It imports package interval for how questions take values.
//
// Completed tables differ by what the release does not tell under the model. They do
// not show that the model is wrong: where records of a group were chosen by what the
// model wants to infer, and where more than pairs go together. So the half width of an
// interval (Rubin 1987, Eq. 3.1.5, with U = 0) gets more parts ([interval.OfCompleted]): of COUNT
//
//	t sqrt((1 + 1/D) B + (r Q / 2)^2 + b Q),
//
// r being the ratio of the pair and b its luck. It is the smallest of Ratios that covers 96 percent of
// the cells whose truth is known, by the largest of three measures:
//
//  1. Pretended splits. How the attributes of one fragment go together is published.
//     The fragment is cut in two, and the cut release is completed: the tables should
//     have what the whole fragment says.
//     It counts for pairs of attributes that both were in a fragment which was cut: of a
//     sensitive attribute in a fragment of its own it says nothing. So a release with
//     one fragment of several attributes has no splits.
//  2. Re-publication. A completed table is taken as if it were raw, published by the
//     same method with the same parameters and promises and other random choices, and completed. The
//     first table is the truth, of every pair. Two tables are, and their cells count
//     together: all cells of a pair may hang on one number, in which each one has luck.
//     The means of both count besides: what both miss is as large there, and luck, which
//     hides it, is less.
//  3. The null. The same of a table whose fragments were shuffled against each other:
//     what comes out associated was invented by the choice of groups. Where that is more
//     than the rest of the association of a pair, Eq. 11 answers better
//     ([Misfit.Independent]).
//
// No ratio is below that of the cells of the pairs together that share an attribute, of 1 and
// of 2 each: 1 has none of the pairs that are asked for later, and a pair has luck, too.
//
// Cells are those of the model's categories ([impute.Categories]), and ranges of numbers: a range has
// more records than a cell, so that what all its cells miss together shows. Single values of one category the model does not tell
// apart. Of thousands of values only those have enough records that luck made large, so that r would be
// that of luck: b is what r leaves of them. It counts less the more records there are. A re-publication has the
// values of a category alike; the release's own groups show whether they are (inside.go), and b has that, too.
//
// Averages of numbers are compared by themselves (averages.go), in units of what they are off by where
// records above and below are off by all of themselves: AVG of a number over a question's
// attributes has a ratio with each of these. Means that are too near to that of all records are told by what they
// are beside those of re-publications, and beside what the release's own groups show ([Average]). What the categories
// of a number hide is told besides ([Unseen]).
//
// Cells count that have at least 20 of the records that are looked at, or one in a
// thousand where that is less, and 5; half of that where the means of two count, which
// have the luck of twice as many records. A cell of 20 records is missed by about as much
// in a part of the release as in the whole; smaller cells are missed by more, and
// r would widen all answers by it. One cell is never enough to widen a pair: of fewer than fifty cells, one may be missed. Pairs of fewer than twenty cells
// have besides the ratio of all of them together, and pairs without cells at least 0.1.
//
// # Three attributes and more
//
// A question over more attributes is wrong by what each of its pairs is wrong by, so that
// the squares of their ratios add up ([Misfit.Ratio]). The model has pairs only. What three
// attributes do besides (what is left of counts that are scaled to those of all pairs) is in
// the release's own tables to a part, since groups show it, and the rest is missing. The
// re-publications say whether it is: what the model makes itself comes back in them, and what
// it cannot make is lost once more. Which part is kept, they and the null say, whichever
// says less; and of what the tables show, as much is luck as the null shows. The ratio of a
// triple is the smallest that covers 96 percent of the cells, were they off by the rest.
// Every triple has the ratio 0.1 at least, which a pair has of which nothing is known. What counts is more than luck by two
// standard errors: a share that is kept multiplies luck, too. Large groups show nothing of it: a group of m keeps 1/m. Where that
// is less than a tenth, nothing counts.
//
// # Promises
//
//  1. It can be recomputed. Everything random comes from a digest of the release, so
//     that the same release, tables and parameters give the same misfit, on any
//     number of cores. Nothing of the owner's enters.
//  2. It reads no more than it is told to: whole groups of at most Options.Records
//     records. More are taken only where those cannot be published again.
//  3. The end of the context stops it, as it stops the method and package impute.
//
// # What it does not promise
//
// That r is enough. A re-publication has what the model found, so that what the model
// misses there is smaller than what it missed the first time; a sample of the groups has
// wider intervals than the release, which hide a part of it; homogeneous groups show the same of
// three attributes again, so that more seems to be kept than is; and of attributes that have
// more than maxBoxed combinations, or more than maxTriples triples, some are not
// compared in threes. Nor that r is no more than enough: it is the largest of several measures,
// each of which has luck, and of some releases more than 99 percent of the cells are inside their
// intervals of 95 percent. Cells are chosen by their known number, as they are asked for. Choosing them
// by the tables' mean was tried: it is narrower, and covers some pairs and triples too seldom. Categories
// of single values, for numbers of up to 256, were tried, too: counts of codes that are names became worse.
//
// Of averages the model tells pairs, too. Where groups are large, nothing shows
// what three attributes do together, nor averages and single values by themselves: what groups of fifty show of
// these is luck, so that an average has the ratio 0.1 at least. Of a release of Adult by anatomy, l=5, size=50,
// model=counts, 95 percent intervals held .972 of 1,339 COUNTs and .986 of 1,868 SUMs by
// a quasi-identifier and the sensitive attribute, and .948 of AVG, least .87 of
// age by race and occupation. Of the program's sample they held .968, .978 and .973.
//
// # Units
//
// A release with units is published again by units: a completed table has them
// (package membership). The unrelated table of the null gives every unit what one
// unit has of each fragment, with equally many records. Published again by rows,
// 95 percent intervals of a method and table held the truth in .88 of 550
// questions; by units in .99 (docs/units.md, BenchmarkQuestions of package units).
// Splits have no units: what of a fragment is constant in them is not told apart.
//
// # Cost
//
// Three fits of package impute to the sample, one more for every split (at most three), and
// three runs of the method. These come first, so that a sample that cannot be published
// again costs no fit. On Adult in
// three tables that is some 50 processor seconds, three of them for attributes in threes.
package misfit
