// Package functions holds every SQL name that anonsql adds: procedures, table
// functions and scalar functions, one file a name. functions.go lists them.
//
// Principles:
//
//  1. A name does its work while its rows are read, not when it is bound or called:
//     binding also happens at PREPARE and when a view is described, and only reading
//     rows notices a disconnect or a KILL.
//  2. To read a raw table, the session's account needs SELECT on it; to change what others see of it,
//     the account needs ALTER (package needs). EXECUTE alone gives no access. Stored figures that were
//     measured with a raw table come from catalog.Releases.RecordFor, which makes the same check.
//  3. Errors name the option, the value and the rule.
//
// # Where things are
//
//	anon_association, anon_detect, anon_privacy, anon_qi_weights, anon_risk, anon_utility  table functions about a table or a release
//	anonymize, evaluate, classify, tune, advise, refresh_release, fit_release, drop_release  procedures that work on releases
//	export_release, import_release, report  procedures that write or read files of a release
//	set_attributes, set_taxonomy, create_analyst, explain_sql  the other procedures
//	method                                  the methods as table functions
//	scalar                                  ANON_LOW and the others around an aggregate
//	functions                               the list of all names, and the server's services for them
//	privileges                              the privileges that names need (package needs), checked by the table's home
//	taxonomy_source, tablename              arguments of procedures; package options declares their options
//	work, progress, import_progress         rows that do their work while they are read, and its progress
//	raw_table, release, tablefunction, create_table  table functions: binding, and CREATE TABLE ... AS
//	run, measure, max_attack, calibrate, interval_widths, recomputed_facts, intersection  CALL anonymize, step by step
//	model                                   two-way tables that a release publishes beside its groups
//	floor                                   what an attacker learns without the release, and presence in its model
//	units                                   units: the person or household that promises protect
//	weights                                 how many persons of the population a row stands for, in classes
//	dry_run                                 what a dry run reports instead of a refusal
//	promises                                promises that the owner demands of a release, with any method
//	population                              promises with respect to a population
//	one_value, records, sensitive_texts, shift  what the relations reveal about a record; columns that recognise a copy; shifted dates
//	keep                                    relations as tables on the owner's server
//	in_engine                               CALL anonymize inside the engine that keeps the table
//	follow, auto_refresh                    releases that follow their table
package functions
