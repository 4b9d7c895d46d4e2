// Package anontest tests methods of anonymization: [Battery] is what each of
// them must pass. Beside it are tables to test with: random ones, ones laid out
// as a paper prints them, and the UCI Adult data.
//
// The battery trusts neither the method nor its error. Releases are verified by
// package privacy, and "infeasible" is compared, on tables of a few records,
// with all ways there are to group them. What analysts are told of a release is
// compared, on tables of a few records, with all tables that agree with it, and
// on a larger one with tables drawn from it.
package anontest
