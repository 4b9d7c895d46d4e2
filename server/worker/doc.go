// Package worker runs statements in another process of the same binary, which has only the data that its account may read.
//
// A front (the server) starts workers ([Start]). A worker inherits three sockets: on the first the front calls the worker, on the second the
// worker calls the front (both by net/rpc), on the third it receives descriptors: a socket for every session, and files that it requested
// ([Process.Hand], [Inherited.Await]). On a session's socket commands go one way and answers the other ([Session.Do], [Serve]).
//
// What it promises:
//
//  1. A worker starts with an empty environment, in the root directory, with no open files except its sockets and the standard streams, and
//     without core dumps, and dies with its front. If the system allows it, it has a network namespace of its own, without a network
//     ([Process.Network]).
//  2. A command ends with its context: the worker is asked first, and killed if it has not ended within [Patience]. Then
//     the session's next command fails with [ErrGone].
//  3. Rows are passed on batch by batch as the worker sends them: memory holds one batch.
//
// It knows no plan, no catalog and no account: its callers register the services that rpc calls.
package worker
