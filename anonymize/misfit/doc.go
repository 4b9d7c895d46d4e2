// Package misfit measures how wrong the completed tables of a release are ([impute.Complete]), by two and
// three attributes. Its inputs are public: the release, the parameters of its method, and completed tables. It
// reads no raw table and imports no method; the caller passes the method in. It imports package interval for
// the way in which questions take values.
//
// The differences between completed tables reflect what the release leaves open if the model is right.
// They do not show where the model is wrong: if a method chose the records of a group by the dependence
// that the model infers, and if attributes depend on each other beyond pairs. So the half width of an
// interval (Rubin 1987, Eq. 3.1.5, with U = 0) gets more parts ([interval.OfCompleted]): of COUNT
//
//	t sqrt((1 + 1/D) B + (r Q / 2)^2 + b Q),
//
// r being the ratio of the pair and b its chance term. By each of three measures, r is the smallest of
// Ratios whose intervals cover 96 percent of the cells with known truth; the largest r counts:
//
//  1. Pretended splits. The release publishes how the attributes of one fragment depend
//     on each other. The fragment is cut in two, the cut release is completed, and the
//     tables are compared with the whole fragment. This measures pairs of attributes of
//     one fragment only, so it says nothing about a sensitive attribute in a fragment of
//     its own. A release with only one fragment of several attributes has no splits.
//  2. Re-publication. A completed table is taken as if it were raw, published by the same method
//     with the same parameters and promises but other random choices, and completed. The first table
//     is the truth for every pair. Two tables are re-published, and their cells count together,
//     since all cells of a pair may depend on one random number. The means of the two count as well:
//     an error common to both is as large in the means, and the random error that hides it is
//     smaller.
//  3. The null. The same with a table whose fragments were shuffled against each other:
//     the choice of groups invented any association in the result. If that is more than
//     the rest of the association of a pair, Eq. 11 answers better
//     ([Misfit.Independent]).
//
// No ratio is below the joint ratio of the cells of all pairs that share an attribute, by measure 1 and by measure 2:
// measure 1 has none of the pairs that analysts ask for later, and the ratio of a single pair may be low by chance.
//
// Cells are those of the model's categories ([impute.Categories]), and ranges of numbers: a range has more records than a cell,
// so it shows an error that all its cells have in common. The model does not distinguish values of one category. Of thousands of
// values only those that chance made frequent have enough records to be compared, so r would measure chance; instead, b has the
// error of single values that r leaves. Its weight falls with the number of records. In a re-publication the values of a category
// behave alike; the release's own groups show whether they really do (inside.go), and b includes this, too.
//
// Averages of numbers are compared separately (averages.go), in units of their error if all records above and below
// the mean were wrong: AVG of a number has a ratio with each attribute of a question. Comparisons with
// re-publications and with the release's own groups show which means are too near the mean of all records
// ([Average]). [Unseen] has what the categories of a number hide.
//
// A cell counts if it has at least min(20, n/1000), and 5, of the n records looked at; half of that for means of two tables, which have the random error of
// twice as many records. The error of a cell of 20 records is about as large in a part of the release as in the whole; smaller cells have larger errors, by
// which r would widen all answers. One cell never widens a pair: of fewer than fifty cells, one may be missed. A pair with fewer than twenty cells also
// gets the joint ratio of all such pairs, and a pair without cells at least 0.1.
//
// # Three attributes and more
//
// A question over more attributes has the errors of all its pairs, so the squares of their ratios add up ([Misfit.Ratio]). The
// model has pairs only. Let a three-way effect be the difference between counts by three attributes and counts scaled to those of
// all pairs. The release's completed tables have a part of it, since groups show it; the rest is missing. The re-publications
// tell which part: they keep what the model itself makes, and lose once more what it cannot make. The kept share is the smaller
// of their estimate and that of the null, and the null shows how much of the tables' effect is chance. The ratio of a triple is
// the smallest that covers 96 percent of the cells if the missing rest is their error, and at least 0.1, the ratio of a pair of
// which nothing is known. An effect counts only if it exceeds chance by two standard errors, since dividing by the kept share
// multiplies chance, too. Large groups show nothing: a group of m records keeps 1/m, and no effect counts where that is less than
// a tenth.
//
// # Promises
//
//  1. It can be recomputed. A digest of the release seeds all randomness, so that the
//     same release, tables and parameters give the same misfit on any number of cores.
//     No private data of the owner enters.
//  2. It reads whole groups of at most Options.Records records. It takes more only if
//     those cannot be published again.
//  3. The end of the context stops it, as it stops the method and package impute.
//
// # What it does not promise
//
// That r is large enough. A re-publication starts from what the model found, so the model misses less there
// than it did the first time; a sample of the groups has wider intervals than the release, which hide a
// part of the error; homogeneous groups show the same three-way effects again, so the kept share seems
// larger than it is; and of attributes with more than maxBoxed combinations, or more than maxTriples
// triples, some triples are not compared (those have the usual ratio). Nor that r is tight: it is the largest of several measures, each
// with a random error, and in some releases more than 99 percent of the cells are inside their intervals of
// 95 percent. Cells are chosen by their true number, as analysts choose them. Two alternatives were tried:
// choosing cells by the tables' mean is narrower, but covers some pairs and triples too seldom; categories
// of single values, for numbers of up to 256, worsen counts of codes that are names.
//
// The model has averages by pairs only, too. Large groups show neither three-way effects nor averages and
// single values: what groups of fifty show of these is chance, so an average has at least the ratio 0.1. Of a
// release of Adult by anatomy, l=5, size=50, model=counts, 95 percent intervals held .972 of 1,339 COUNTs and
// .986 of 1,868 SUMs by a quasi-identifier and the sensitive attribute, and .948 of AVG, least .87 of age by
// race and occupation. Of the program's sample they held .968, .978 and .973.
//
// # Units
//
// A release with units is re-published by units, since its completed tables have them
// (package membership). The shuffled table of the null gives every unit, for each
// fragment, the tuples of one unit with equally many records. With re-publication by
// rows, 95 percent intervals of a method and table covered the truth in .88 of 550
// questions; by units in .99 (docs/units.md, BenchmarkQuestions of package units).
// Splits ignore units: they do not distinguish attributes that are constant in units.
//
// # Cost
//
// Three fits of package impute to the sample, one more for every split (at most three), and
// three runs of the method. The runs come first, so that a sample that cannot be published
// again costs no fit. On Adult in three tables that is some 50 processor seconds, three of
// them for attributes in threes.
package misfit
