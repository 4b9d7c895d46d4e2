// Package anontest tests methods of anonymization: every method must pass [Battery]. The package also has tables for
// tests: random ones, tables laid out as papers print them, and the UCI Adult data.
//
// The battery trusts neither the method nor its errors. Package privacy verifies the
// releases. On tables of a few records, the battery checks the verdict "infeasible"
// against all possible groupings, and estimates against all tables that agree with the
// release. On a larger table it checks estimates against tables drawn from the release.
package anontest
