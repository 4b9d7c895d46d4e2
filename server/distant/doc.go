// Package distant lets a process ask another one for relations of releases that an engine keeps.
//
// A worker has a [Store], which stands for the engine's ([source.RelationStore]). What it is asked it sends as a [Request] to its front, where a [Server]
// has the engine answer it.
//
// What it promises:
//
//  1. A release is named by its number, and the front decides which ones may be asked for. A worker learns the engine's name, and nothing by which
//     it could ask the engine for anything else.
//  2. A request ends when its context does. The front, and the engine, are told to end it.
//  3. An error stays what it is: an [estimate.UnansweredError], a number and a text of the protocol, or one that ends the statement.
//
// It writes nothing: what changes relations is refused.
package distant
