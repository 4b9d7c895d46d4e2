// Package weights makes classes of the weights of a survey, which can be published in their place.
//
// A weight says how many persons of the population a record stands for. Whoever knows the design
// of the survey knows the weight of a person nearly, and a weight of many digits names a record. So
// a class has some persons at least, and is published by the mean weight of its records.
//
// Principles:
//
//  1. Over all records the published weights sum to what the weights do, and so do those of every class.
//  2. Classes are the best ones of so many: they leave the least sum of squares inside (Fisher, "On Grouping
//     for Maximum Homogeneity", JASA 53, 1958; with a least size that is the optimal univariate microaggregation of
//     Hansen and Mukherjee, IEEE TKDE 15(4), 2003). There are as few as leave an error of [MaxError], and 16 at most.
//  3. A class is an attribute of the release: whoever counts who is alone counts it. This package promises nothing.
//
// It refuses what is no weight, with a DataError: nothing, zero, or less.
//
// # Where things are
//
//	classes    classes, their error, and the column that is published
//	deviation  how far sums of weights are off, for intervals
//	partition  the best classes of so many, by dynamic programming
package weights
