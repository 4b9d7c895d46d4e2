// Package contingency counts the model of a release ([anonymize.Model]): contingency tables of every quasi-identifier by a sensitive
// attribute. Such two-way tables, of a few thousand numbers in all, are what official statistics tell about these associations. They
// are the sufficient statistics of a multinomial logit (Agresti, "Categorical Data Analysis", 2002, section 8.5), which package impute
// fits.
//
// The package counts columns of codes that its caller hands in, and opens no table. It imports package anonymize only.
// columns.go chooses the columns, grain.go has the categories, count.go counts and then pools, rounds or adds noise.
//
// # What is told
//
// Categories come from the release's fragments, so they reveal nothing new. Then either
//
//   - cells of fewer than Options.Least units are pooled with other such cells of their row, and the rest are rounded to multiples
//     of Options.Base, so that a value that only one person has does not reveal that person's sensitive value. If only one cell of
//     a row is that small, the next smallest is pooled with it. Or
//   - every cell gets noise (Options.Noise), empty cells included, and nothing is pooled, rounded or truncated, so that counts stay
//     unbiased. Then the tables together have label differential privacy.
//
// # What is not promised
//
// Without noise, a row whose records all have the same sensitive value reveals it, as any statistic of these records would.
//
// # Cost
//
// One pass over the records per table.
package contingency
