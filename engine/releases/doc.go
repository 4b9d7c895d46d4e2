// Package releases publishes tables of a distributed engine inside it, and keeps their releases there.
//
//  1. A [Home] is the home of raw tables (package tables) and publishes them: the engine forms the groups and writes the relations (package publication).
//     Only sessions whose account has privileges on such tables have it.
//  2. A [Store] keeps the relations of releases, for the catalog. Its [Reader] answers analysts: it writes only
//     SELECTs of columns of relations of releases, whose names derive from a release's place, and never
//     gets the name of a raw table. The Store drops relations, and sweeps remains of failed attempts.
//  3. Relations are formed in the schema that nobody else may read, and stay there if the release is private. Those of a public release are
//     moved when nothing refuses it any more.
//  4. Relations belong to the data directory that made them: its identity begins the names of their attempts. Another directory, or a copy, drops none.
//
// It refuses by name: methods and parameters that the engine does not support, more than one
// sensitive attribute, columns of CHAR and UUID, and relations that differ from the published ones.
//
// # Where things are
//
//	home     which tables may be published, and their plans
//	methods  the list of methods that the engine supports
//	attempt  a publication in progress
//	model    two-way tables of a release's model, counted by the engine
//	store    ownership of relations; dropping and sweeping
//	read     relations read into memory
//	pages    relations from their first group to their last
//	ranges   relations of ranges
//	linked   a sample of whole groups with linked records, for measuring attacks
//	complete  samples of whole groups, and completed tables
//	counts   counting by the engine, and reading relations of ranges
package releases
