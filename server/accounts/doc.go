// Package accounts has accounts, roles, privileges and passwords. It behaves like MySQL
// where the engine does not.
//
// It promises that a change of accounts is atomic, durable and effective in every session
// (accounts.go); that an account can do only what it was granted, where the engine leaves
// something open to everybody (guard.go, authorization.go); that names and definitions
// are as private as the objects (visibility.go); and that a denial names only what the
// client's statement names.
//
// It refuses statements about accounts that the engine would misread or of which it
// would drop parts (account_admission.go), and weak passwords if configured. It holds
// no connection and knows no listening address.
//
// # Where things are
//
//	accounts                                  the book of accounts: open, load, change, undo
//	account_statements, account_admission, account_privileges  statements about accounts
//	account_names                             hosts of accounts, and the account of a client
//	account_limits, analysts                  limits of an account; accounts that read published data
//	authorization, guard, visibility, sealed  what an account may do and see
//	elsewhere                                 sessions whose accounts another server keeps
//	passwords                                 authentication strings, sent and stored
package accounts
