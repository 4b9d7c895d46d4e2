// Package releases publishes tables of a distributed engine where they are, and keeps their releases there.
//
//  1. A [Home] is the home of raw tables (package tables), and publishes them: the engine forms the groups and writes the relations (package publication).
//     Sessions whose account has privileges on such tables have it, and no others.
//  2. A [Store] keeps the relations of releases, for the catalog. Its [Reader] is what answers analysts: it writes
//     SELECTs of columns of relations of releases in one schema, whose names are made of a release's place, and
//     nothing else; no name of a raw table comes to it. The Store drops relations, and sweeps what attempts have left.
//  3. Relations are of the data directory that made them: its identity begins the names of their attempts. Another directory, or a copy, drops none.
//
// It refuses by name: methods and parameters that the engine does not have, more than one sensitive
// attribute, columns of CHAR and UUID, relations that are not what was published.
//
// # Where things are
//
//	home     what may be published, and how it is planned
//	methods  the one list of methods that the engine has
//	attempt  a publication that is under way
//	model    two-way tables of a release's model, counted there
//	store    whose relations are whose; dropping and sweeping
//	read     relations as they are kept here
//	pages    relations from their first group to their last
//	ranges   relations of ranges
//	linked   a sample of whole groups with its link: what attacks are measured with
//	complete  samples of whole groups, and completed tables
//	counts   what is counted there, and what is read of it: ranges
package releases
