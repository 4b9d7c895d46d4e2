// Package functions holds every SQL name that anonsql adds: procedures, table
// functions and scalar functions, one file a name. functions.go lists them.
//
// Principles:
//
//  1. A name does its work in the rows that it returns, not when it is bound or
//     called: binding happens at PREPARE and for every look at a view, and only
//     reading rows notices that the client has left or the statement was killed.
//  2. Whatever reads a raw table checks that the session's account may SELECT
//     from it, and whatever changes what others see of it that the account may ALTER it (package needs).
//     EXECUTE alone opens nothing. What was measured with a raw table
//     and is stored comes from catalog.Releases.RecordFor, which asks the same.
//  3. Errors name the option, the value and the rule.
//
// # Where things are
//
//	anon_association, anon_detect, anon_privacy, anon_qi_weights, anon_risk, anon_utility  table functions about a table or a release
//	anonymize, evaluate, classify, tune, advise, refresh_release, fit_release, drop_release  procedures that work on releases
//	export_release, import_release, report  procedures that hand a release on
//	set_attributes, set_taxonomy, create_analyst, explain_sql  the other procedures
//	method                                  the methods as table functions
//	scalar                                  ANON_LOW and the others around an aggregate
//	functions                               the list of all names, and what the server gives them
//	privileges                              who may call what: the list of package needs, asked of the table's home
//	taxonomy_source, tablename              arguments of procedures; package options declares their options
//	work, progress, import_progress         rows whose work is done while they are read, and how far it is
//	raw_table, release, tablefunction, create_table  table functions: what they bind to, and CREATE TABLE ... AS
//	run, measure, max_attack, calibrate, interval_widths, recomputed_facts, intersection  CALL anonymize, step by step
//	model                                   what a release tells beside its groups: two-way tables
//	floor                                   what statistics tell without the release, and what presence in its model shows
//	units                                   whom the rows are of: the person or household that promises protect
//	weights                                 how many persons of the population a row stands for, in classes
//	dry_run                                 what a dry run tells instead of being refused
//	promises                                what the owner asks of a release, whichever method makes it
//	population                              what the owner asks of a release beside a population
//	one_value, records, sensitive_texts, shift  what the relations tell of a record; columns that recognise a copy; dates that are moved
//	keep                                    relations as tables on the owner's server
//	in_engine                               CALL anonymize of a table that an engine keeps, in the engine
//	follow, auto_refresh                    releases that follow their table
package functions
