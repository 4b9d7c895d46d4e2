// Package experiments repeats the evaluations of five papers. It reproduces every figure that compares methods, with
// all methods side by side in one run, and compares it with the paper's statements.
//
//  1. An Experiment belongs to one paper; the last two are our own. All lists them; the
//     command, the report and the names of files follow that list.
//
//  2. A setting that the data do not admit is not skipped silently: the nearest feasible
//     setting replaces it, and a Note names it. A table that lacks a column of an experiment
//     is refused, with the column's name.
//
//  3. An experiment derives its verdicts from the points of its figure, by the claims
//     of package evaluation. No verdict is written by hand.
//
//  4. Times are measured in one run, one method after the other on the same records,
//     and compared only with each other. Everything else depends only on the table and
//     the seed.
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
