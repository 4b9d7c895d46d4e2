// Package imputation is an experiment of this project's own: the relative errors of the
// two estimators side by side, Eq. (11) of Yao et al. 2021 and completed tables (package
// impute), and what an attacker learns from the same releases.
//
//  1. Both estimators answer the same questions about the same releases. Completed
//     tables answer by themselves: no misfit passes a question on to Eq. (11).
//
//  2. The targets are numbers fixed beforehand, for UCI Adult and l = 5. They are
//     claims like those of a paper, judged from the points of a figure. On other tables
//     only the comparison is judged.
package imputation
