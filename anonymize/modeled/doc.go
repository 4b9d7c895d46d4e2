// Package modeled publishes a table without groups that hide anything: the quasi-identifiers of its records, the counts of its sensitive
// values, and a model of how these go together ([anonymize.Model], which package contingency counts). Everything else that is answered
// is drawn from the model (package impute): it is what makers of synthetic data do,
//
//	B. Nowok, G. M. Raab, C. Dibben: synthpop: Bespoke Creation of Synthetic Data in R. Journal of Statistical Software 74(11), 2016,
//	R. McKenna, G. Miklau, D. Sheldon: Winning the NIST Contest: A scalable and general approach to differentially private synthetic
//	data. Journal of Privacy and Confidentiality 11(3), 2021 (MST),
//
// with the quasi-identifiers as they are, in one table or in several (tables=), which only blocks link. Records are cut at random into
// blocks, which the rooms of this program take as groups. A block is no group to hide in: it is as random as the order of a shuffled table.
//
// What it promises:
//
//   - nothing about groups: there are none. Without noise, the counts are exact, small ones pooled and the others rounded.
//   - label_epsilon, with model_epsilon: whatever somebody knows, all quasi-identifiers and everybody else's sensitive value included, the
//     release changes the odds between two sensitive values of a person by at most e^epsilon (Chaudhuri and Hsu, "Sample Complexity Bounds
//     for Differentially Private Learning", 2011). The counts of sensitive values have noise then, too ([Blur]), and nothing of the
//     release depends on sensitive values but through noise (package noise).
//
// What it does not promise: that presence, or a quasi-identifier, is hidden: they are published as they are. That the list of the
// sensitive attribute's values is hidden: it is taken as known, as a column of type ENUM has it. That answers have hard bounds.
//
// It refuses several sensitive attributes, and has no classes of k: a completed table needs values, and cells of a class would stand for
// several. It imports packages bucketization and slppa, whose division of quasi-identifiers it takes: that looks at no sensitive value.
// blur.go has the noise of the sensitive values' counts.
//
// Cost: O(n m) to number the tuples of m quasi-identifiers, O(n m^2) to divide them, O(n) for the rest.
package modeled
