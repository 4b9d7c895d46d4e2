// Package experiments re-runs the evaluations of the five papers: every figure
// that compares methods is made again, all methods side by side in one run, and
// stands beside what the paper says of it.
//
//  1. An Experiment is one paper's; the last two are our own. All lists them once; the
//     command, the report and the names of files follow that list.
//
//  2. A setting that the data do not admit is not skipped in silence. It is a
//     Note with the nearest setting that they do admit, which is then used. A table
//     without a column that an experiment needs is refused, with the column's name.
//
//  3. What an experiment judges it reads from the points of its figure, by the claims
//     of package evaluation: a verdict is nowhere written down.
//
//  4. Times are measured in one run, one method after the other on the same
//     records, and are compared with each other only. Everything else is the same for
//     the same table and seed.
//
// It sees neither SQL nor a catalog, and writes no file.
//
// # Where things are
//
//	all      the one list of experiments
//	slppa, slppa_clock, slppa_divisions, slppa_errors, slppa_groups, slppa_parameters, slppa_settings  Yao et al. 2021
//	arp, arp_figures                  Zhu et al. 2015
//	crossbucket, crossbucket_figures  Li et al. 2018
//	drasl, drasl_disclosure, drasl_figures, drasl_patients, drasl_updates  Yan et al. 2021
//	cdt, cdt_figures                  Subramanian et al.
package experiments
