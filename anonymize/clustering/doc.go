// Package clustering makes groups of at least K records that are near each other, under
// a distance over attributes of all kinds. It also has the measures of
//
//	Y. Yan, E. A. Herman, A. Mahmood, J. Li, Z. Dong, F. Xu: Privacy Preserving
//	Dynamic Data Release Against Synonymous Linkage Based on Micro Aggregation.
//	Research Square preprint rs-828185, 2021
//
// (DRASL, package drasl), with the three methods that the paper compares itself
// with: OKA (Lin, Wei 2008), IKA (Zheng et al. 2018) and DPP (Shi et al. 2018).
//
// All four methods promise k: every group has at least K records with the same
// published quasi-identifiers. Only GrowLinkFree promises anything about sensitive
// values: no group has equal or synonymous ones, which bounds every value's share of a
// group by 1/K.
//
// The paper's symbols:
//
//	d(r_1, r_2)      Space.Distance      Defs. 1-5    mu_GID      Centre, Space.Centroid
//	Tree_Ns, Parent  Domain.Taxonomy     Def. 2       H(GID)      Entropy, Eq. 8
//	phi(v)           a coordinate        Eq. 5        Link_SA     Catalogue.Link, Def. 8
//	f, f_link        Weights.Metric      Defs. 7, 11  Tlink_SA    Catalogue.Links, Def. 9
//	gid, GID         Partition           Alg. 1       Pr_SA       Catalogue.Probability, Def. 10
//	Total_Pr_SA, Average_IL              Measure, Eqs. 15-17
//
// The steps, a file each:
//
//	space.go, centre.go                      distance and centroid
//	catalogue.go, linkage.go                 synonyms, links, entropy
//	metric.go                                the metric, and what a value adds to it
//	tree*.go, scan.go                        the best record, by an index or by a full scan
//	grow.go, leftovers.go                    DPP and DRASL
//	oka.go, ika.go                           OKA and IKA
//	improve.go, swaps.go, exchange.go        exchanges between near groups, by annealing
//	eligible.go, allowance.go, linkfree.go   groups without links
//	release_links.go                         the links of what is published
//	measures.go, methods.go                  reported figures, published groups
//
// A metric is a distance plus a bonus that depends on the record's sensitive value
// alone, and every node of the index knows which sensitive values are below it. So the
// record with the greatest metric is found by nearest-neighbour searches, one level per
// distinct bonus.
//
// The Domain of an attribute defines its distance: numeric, ordinal (|O| being the
// number of distinct values that occur), semantic if there is a taxonomy, otherwise
// nominal. NULL is a value of its own, at the greatest distance from all others.
//
// Departures from the paper are tested, by number, in deviations_test.go here and
// in package drasl.
package clustering
