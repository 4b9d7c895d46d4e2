// Package groups counts group by group and tuple by tuple. It answers every question on every release.
//
// The weighted join finds the number of records of every combination of classes that a group has; a group costs the
// product of the few classes present in it. Standard errors, hard bounds and numbers of values that are no function of a
// box ([figures.Box]) are found from the same combinations. COUNTs by keys of single fragments have whole numbers for bounds.
//
// Blocks of groups are split over the cores and added up in order, so that results do not depend on the number of cores.
//
// # Where things are
//
//	counter         the counter of a question
//	join            groups -> weight of every combination of classes
//	join_worker     the groups of one core
//	group_terms     the combinations of one group, with their contributions
//	moments         standard errors: variances and covariances over all tables
//	moments_pairs   numbers of pairs of records, never written out
//	bounds          the least and the greatest figure over all tables
//	bounds_counts   those of COUNTs by keys, as integers on all cores
//	distinct        numbers of distinct values
//	decided         questions to one fragment that leaves open only which records are counterfeits
package groups
