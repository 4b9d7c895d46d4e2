// Package groups counts group by group, tuple by tuple: whatever the question, and on every release.
//
// The weighted join finds the number of records of every combination of classes that a group has; a group costs the
// product of the few classes present in it. Standard errors, hard bounds and numbers of values that are no function of a
// box ([figures.Box]) are found from the same combinations. COUNTs by keys of single fragments have whole numbers for bounds.
//
// Blocks of groups are split over the cores and added up in order, so that the number of cores does not show.
//
// # Where things are
//
//	counter         who counts for a question
//	join            groups -> weight of every combination of classes
//	join_worker     the groups of one core
//	group_terms     the combinations of one group, with what they add
//	moments         standard errors: variances and covariances over all tables
//	moments_pairs   numbers of pairs of records, never written out
//	bounds          the least and the greatest figure over all tables
//	bounds_counts   those of COUNTs by keys, as integers on all cores
//	distinct        numbers of values: who has none of them
//	decided         what one fragment knows of all records
package groups
