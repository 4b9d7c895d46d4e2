// Package tuning tries methods with several parameters on one table and finds the
// Pareto-optimal trials.
//
//  1. The owner states requirements as promises. Every tried release is verified from
//     its fragments, for its method's promises and for these. A method that does not
//     promise a requirement is no choice even so: a release of more records may break it.
//     What any method promises on demand (privacy.Options) is promised.
//  2. All trials answer the same random queries about the same records, so that their
//     figures are comparable.
//  3. A failed trial keeps its reason. No trial is omitted silently.
//  4. Beside its method's arguments, a trial may have a size of groups and a model (Beside).
//     The model counts the trial's records, as the model of a publication counts the table's.
//  5. The frontier consists of the trials that no other trial beats in both risk and loss.
//
// The package publishes nothing. The figures of a trial are those of one run of a
// method with random choices; a publication makes other choices.
package tuning
