// Package tuning tries methods with several parameters on one table and finds
// those that are worth a choice.
//
//  1. The owner says what must hold, as promises; every release that is tried is
//     verified for its own promises and for these, from its fragments. A method
//     that does not know a guarantee may still meet it.
//  2. All trials answer the same random queries about the same records, so that
//     their figures can be compared.
//  3. A trial that fails keeps its reason. Nothing is left out in silence.
//  4. A trial may have groups of a size, and a model, beside its method's arguments
//     (Beside). The model counts the trial's records, as that of a publication does.
//  5. The frontier are the trials that no other one beats in risk and in loss.
//
// Nothing is published here. The figures of a trial are those of one run of a
// method that makes random choices: a publication makes others.
package tuning
