// Package imputation is an experiment of this project's own: the relative errors of the
// two estimators side by side, Eq. (11) of Yao et al. 2021 and completed tables (package
// impute), and what a learner knows who reads the same releases.
//
//  1. Both estimators are asked the same questions of the same releases. Completed
//     tables answer by themselves: no misfit hands a question over to Eq. (11).
//
//  2. What is aimed at are numbers that were set before, for UCI Adult and l = 5. They
//     are claims like those of a paper, judged from the points of a figure. On other
//     tables only the comparison is judged.
package imputation
