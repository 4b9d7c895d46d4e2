// Package interval makes intervals around estimates, from public properties of a
// release: its fragments, the number of its counterfeits, and one of eight factors each
// for COUNT, SUM and AVG.
//
// Principles:
//
//  1. An interval is a function of the release, the question and the [Widths]. Only the
//     widths, three numbers from 1 to 8, depend on the raw table otherwise: package
//     utility chose them with it.
//  2. Of random questions, an interval covers at least the share that its level claims, over
//     all questions about one release together. Of everyday questions, one or two attributes
//     grouped, at least 92 percent of the cells are inside 95 percent intervals, and 85
//     percent for any two attributes with 20 cells. These are shares of the questions that
//     were asked at publication. For other questions such coverage is likely, not certain;
//     where three attributes depend on each other, intervals cover less.
//  3. Counterfeits may be any records, so intervals and standard errors hold for the
//     worst choice of them; see [Spread]. An interval that no bound supports is left
//     out. Intervals around the answers of completed tables use no width: they are a
//     function of the release and the question; see [OfCompleted].
//  4. The interval of a noisy figure includes the noise, and what cutting noisy counts at 0 does to the others. It also holds for values
//     that were chosen because the release shows them. The figure has no hard bounds ([Spread.addNoise]).
//  5. An interval never reaches beyond the hard bounds.
//
// The package reads no raw table and imports no package that could.
package interval
