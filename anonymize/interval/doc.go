// Package interval makes intervals around estimates, from what everybody may know
// of a release: its fragments, the number of its counterfeits, and one of eight
// factors for COUNT, SUM and AVG each.
//
// Principles:
//
//  1. An interval is a function of the release, the question and the [Widths].
//     The widths were chosen with the raw table, by package utility; they are the
//     only thing here that was, and they are three numbers from 1 to 8.
//  2. Of random questions, an interval covers at least the share that its level
//     claims, over all questions about one release together. Of everyday questions, one
//     or two attributes grouped, at least 92 percent of the cells are inside 95 percent
//     intervals, and 85 percent for any two attributes with 20 cells. These are shares of
//     the questions that were asked at publication: of others they are likely, not
//     certain, and where three attributes depend on each other it covers less.
//  3. Counterfeits may be any records. An interval, and a standard error, holds
//     for the worst of them, see [Spread]. What cannot be claimed is left out.
//     Intervals around the answers of completed tables use no width: they are a
//     function of the release and the question, see [OfCompleted].
//  4. What has noise has the noise in its interval, and no hard bounds ([Spread.addNoise]).
//  5. An interval never reaches beyond the hard bounds.
//
// It reads no raw table and imports nothing that could.
package interval
