// Package units estimates how many units (persons or households of several records) have a matching
// record: expectations, standard errors and hard bounds by group.
//
// # Where things are
//
//	units   expectations and bounds where conditions and keys read one fragment each
//	joined  the same across fragments, and over cells
//	alike   tuples that belong to different units
package units
