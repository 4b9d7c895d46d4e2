// Package modeled publishes a table without groups that hide anything: the quasi-identifiers of its records, the counts of its sensitive
// values, and a model of their dependence ([anonymize.Model], which package contingency counts). Answers about the rest are drawn from
// the model (package impute), as makers of synthetic data do:
//
//	B. Nowok, G. M. Raab, C. Dibben: synthpop: Bespoke Creation of Synthetic Data in R. Journal of Statistical Software 74(11), 2016,
//	R. McKenna, G. Miklau, D. Sheldon: Winning the NIST Contest: A scalable and general approach to differentially private synthetic
//	data. Journal of Privacy and Confidentiality 11(3), 2021 (MST),
//
// Unlike there, the quasi-identifiers are published unchanged, in one table or in several (tables=) that only blocks link. Records are cut
// at random into blocks, which other packages treat as groups. A block hides nobody: it is as random as the order of a shuffled table.
//
// What it promises:
//
//   - nothing about groups: there are none. Without noise, the counts of sensitive values are exact; the model pools small counts and rounds others.
//   - label_epsilon, with model_epsilon: whatever somebody knows, all quasi-identifiers and everybody else's sensitive value included, the
//     release changes the odds between two sensitive values of a person by at most e^epsilon (Chaudhuri and Hsu, "Sample Complexity Bounds
//     for Differentially Private Learning", 2011). The counts of sensitive values have noise then, too ([Blur]), and the release depends
//     on sensitive values only through noise (package noise).
//
// What it does not promise: to hide presence or quasi-identifiers, which are published unchanged; to hide the list of the
// sensitive attribute's values, which is taken as known, like the type of an ENUM column; hard bounds of answers.
//
// It refuses several sensitive attributes, and has no classes of k records: a completed table needs values, and a cell of a class would
// stand for several. It imports packages bucketization and slppa, whose division of quasi-identifiers it uses, since that division reads
// no sensitive value. blur.go adds noise to the counts of sensitive values.
//
// Cost: O(n m) to number the tuples of m quasi-identifiers, O(n m^2) to divide them, O(n) for the rest.
package modeled
