// Package distant lets a worker process query its front for relations of releases that an engine keeps.
//
// A worker has a [Store], a proxy for the engine's store ([source.RelationStore]). It sends every call as a [Request] to its front. A [Server] there
// lets the engine answer it.
//
// What it promises:
//
//  1. A request names a release by number, and the front decides which releases it allows. A worker learns the engine's name, but nothing that
//     would let it reach the engine itself.
//  2. A request ends with its context, also in the front and in the engine.
//  3. An error keeps its kind: an [estimate.UnansweredError], an error with a MySQL number, or one that ends the statement.
//
// It writes nothing: calls that change relations fail.
package distant
