// Package evaluation compares a paper's statements, or our own targets, with the measurements of a run. It has the
// figures of an experiment, claims about them, verdicts, and a report.
//
//  1. A Figure is data, not a picture: series of points with their spread. CSV, SVG, PNG and
//     the paragraph in the report are made from it.
//
//  2. Results are computed from the series of a run, never written by hand: Conclude derives
//     the verdict from Claims, which a Reading checks on the drawn points. The verdict
//     may be that the paper's statement does not hold.
//
//  3. A Claim is checked at every place where its series can be compared, and counts
//     the places that contradict it. A claim without a place decides nothing.
//
//  4. A Part is written atomically: Check refuses a figure without a verdict, without a
//     required reason, or with NaN or infinite numbers. An interrupted part does not
//     replace a complete one, and no part touches another paper's files.
//
//  5. Every experiment starts from Run and ReadTable: complete records, and random
//     sources that depend only on the seed.
//
// It knows no paper and no method: its callers supply names and their order.
//
// # Where things are
//
//	run, table, records, tally             one execution: its columns and random sources, its table, samples of it, repetitions
//	figure, check                          series of points, and checks of figures
//	claims, reading, comparisons, shapes   a paper's statements: the verdict, places, several series, one series
//	numbers                                numbers as text
//	part, report                           the files of a paper, and RESULTS.md
//	render, render_bars, render_csv, render_legend, render_lines, render_ticks  a figure as CSV, SVG and PNG
package evaluation
