// Package accounts is who may do what: accounts, roles, privileges and passwords, as in
// MySQL where the engine is not.
//
// It promises that a change of accounts is whole, stored and effective in every session,
// or it did not happen (accounts.go); that an account does what it was granted and no
// more, where the engine leaves something open to everybody (guard.go, authorization.go);
// that names and definitions are as private as what they stand for (visibility.go); and
// that a denial names only what the client's statement has said.
//
// It refuses statements about accounts that the engine would take for others, or drop
// parts of (account_admission.go), and weak passwords where it is told to. It holds no
// connection and knows no address that a server listens on.
//
// # Where things are
//
//	accounts                                  the book of accounts: open, load, change, undo
//	account_statements, account_admission, account_privileges  statements about accounts
//	account_names                             hosts of accounts, and the account of a client
//	account_limits, analysts                  limits of an account; accounts that read published data
//	authorization, guard, visibility, sealed  what an account may do and see
//	elsewhere                                 sessions whose accounts another server keeps
//	passwords                                 what clients send, and what is stored
package accounts
