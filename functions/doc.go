// Package functions holds every SQL name that anonsql adds: procedures, table
// functions and scalar functions, one file a name. functions.go lists them.
//
// Principles:
//
//  1. A name does its work in the rows that it returns, not when it is bound or
//     called: binding happens at PREPARE and for every look at a view, and only
//     reading rows notices that the client has left or the statement was killed.
//  2. Whatever reads a raw table checks that the session's account may SELECT
//     from it. EXECUTE alone opens nothing. What was measured with a raw table
//     and is stored comes from catalog.Releases.RecordFor, which asks the same.
//  3. Errors name the option, the value and the rule.
package functions
