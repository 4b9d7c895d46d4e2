// Package imputation is our own experiment. It compares the relative errors of the two estimators, Eq. (11) of Yao et
// al. 2021 and completed tables (package impute), and measures what an attacker learns from the same releases.
//
//  1. Both estimators answer the same questions about the same releases. Completed
//     tables answer alone: no misfit passes a question on to Eq. (11).
//
//  2. The targets were fixed in advance, for UCI Adult and l = 5. They are judged like
//     claims of a paper, from the points of a figure. On other tables only the comparison of
//     the estimators is judged.
package imputation
