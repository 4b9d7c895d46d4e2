// Package experiments re-runs the evaluations of the five papers: every figure
// that compares methods is made again, all methods side by side in one run, and
// stands beside what the paper says of it.
//
//  1. A Figure is figures, not a picture: series of points with their spread.
//     CSV, SVG, PNG and the paragraph are made of it.
//
//  2. What a run shows is computed from its series, never written down: Judge
//     reads the same points that are drawn, and its verdict can be that the
//     paper's claim does not come out.
//
//  3. A setting that the data do not admit is not skipped in silence. It is a
//     Note with the nearest setting that they do admit, which is then used.
//
//  4. Times are measured in one run, one method after the other on the same
//     records, and are compared with each other only.
//
// # Where things are
//
//	slppa, slppa_clock, slppa_divisions, slppa_errors, slppa_groups, slppa_judge, slppa_parameters, slppa_settings  Yao et al. 2021
//	arp, arp_figures                     Zhu et al. 2015
//	crossbucket, crossbucket_figures     Li et al. 2018
//	drasl, drasl_disclosure, drasl_figures, drasl_patients, drasl_updates  Yan et al. 2021
//	cdt, cdt_figures                     Subramanian et al.
//	run, records, table, tally           one execution: its table, its columns, repetitions
//	claims, comparisons, reading, check  what a paper says, held against the points
//	figure, part, report                 figures, what is written of a paper, and RESULTS.md
//	render, render_bars, render_csv, render_legend, render_lines, render_ticks  a figure as CSV, SVG and PNG
package experiments
