// Package weights groups the weights of a survey into classes that can be published instead.
//
// A weight says how many persons of the population a record stands for. An attacker who knows the
// design of the survey nearly knows the weight of a person, and a weight with many digits identifies a
// record. So a class has a least number of persons, and the mean weight of its records is published.
//
// Principles:
//
//  1. The published weights have the same sum as the weights, in every class and over all records.
//  2. The classes are optimal for their number: they minimize the sum of squares within classes (Fisher, "On Grouping for
//     Maximum Homogeneity", JASA 53, 1958; with a least size that is the optimal univariate microaggregation of Hansen and
//     Mukherjee, IEEE TKDE 15(4), 2003). There are as few as keep the error at most [MaxError], and never more than 16.
//  3. A class is an attribute of the release, so counts of unique records include it. This package promises no privacy.
//
// It refuses weights that are missing, zero or negative, with a DataError.
//
// # Where things are
//
//	classes    classes, their error, and the column that is published
//	deviation  how far sums of weights are off, for intervals
//	partition  optimal classes of a given number, by dynamic programming
package weights
