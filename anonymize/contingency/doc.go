// Package contingency counts the model of a release ([anonymize.Model]): contingency tables of every quasi-identifier by a sensitive
// attribute. Two-way tables of a few thousand numbers are what a statistic of the population tells of how these attributes go
// together. They are the sufficient statistics of a multinomial logit (Agresti, "Categorical Data Analysis", 2002, section 8.5), which
// package impute fits.
//
// It counts columns of codes that it is handed, and opens no table. It imports package anonymize only.
// columns.go says of which columns, grain.go has the categories, count.go the counts and what is done to them.
//
// # What is told
//
// Categories come from the release's fragments, so that they tell nothing more. Then either
//
//   - cells of fewer than Options.Least units are pooled with the others of their row, and the rest are rounded to multiples of
//     Options.Base: a value that one person has tells nothing of that person's sensitive value. If one cell of a row is pooled, the
//     next smallest is too. Or
//   - every cell gets noise (Options.Noise), the empty ones as well, and nothing is pooled, rounded or cut off: the mean stays right.
//     Then the tables together have label differential privacy.
//
// # What is not promised
//
// Without noise, a row whose records all have one sensitive value says so, as any statistic of these records would.
//
// # Cost
//
// One pass over the records a table.
package contingency
