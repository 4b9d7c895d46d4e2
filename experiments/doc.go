// Package experiments re-runs the evaluations of the five papers: every figure
// that compares methods is made again, all methods side by side in one run, and
// stands beside what the paper says of it.
//
//  1. A Figure is figures, not a picture: series of points with their spread.
//     CSV, SVG, PNG and the paragraph are made of it.
//  2. What a run shows is computed from its series, never written down: Judge
//     reads the same points that are drawn, and its verdict can be that the
//     paper's claim does not come out.
//  3. A setting that the data do not admit is not skipped in silence. It is a
//     Note with the nearest setting that they do admit, which is then used.
//  4. Times are measured in one run, one method after the other on the same
//     records, and are compared with each other only.
package experiments
