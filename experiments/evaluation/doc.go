// Package evaluation holds what a paper says, or what was aimed at, against what a run
// measured: the figures of an experiment, the claims about them, the verdict, and what is
// written of it all.
//
//  1. A Figure is figures, not a picture: series of points with their spread.
//     CSV, SVG, PNG and the paragraph are made of it.
//
//  2. What a run shows is computed from its series, never written down: Conclude
//     makes the verdict of Claims, which a Reading takes from the points that are
//     drawn. The verdict can be that the paper's statement does not come out.
//
//  3. A Claim is checked at every place where its series can be compared, and counts
//     those that speak against it. One without a place decides nothing.
//
//  4. A Part is written whole or not at all: Check refuses a figure without a verdict,
//     without a reason where one is due, or with numbers that are none. An interrupted
//     part does not take the place of a whole one, and no part touches another
//     paper's files.
//
//  5. Run and ReadTable are what every experiment starts from: complete records, and
//     random sources that are the same for the same seed.
//
// It knows no paper and no method: names and their order are its callers'.
//
// # Where things are
//
//	run, table, records, tally             one execution: its columns and random sources, its table, samples of it, repetitions
//	figure, check                          series of points, and what makes a figure unfit
//	claims, reading, comparisons, shapes   a paper's statements: the verdict, places, several series, one series
//	numbers                                numbers as text
//	part, report                           what is written of a paper, and RESULTS.md
//	render, render_bars, render_csv, render_legend, render_lines, render_ticks  a figure as CSV, SVG and PNG
package evaluation
