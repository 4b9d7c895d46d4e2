// Package worker runs statements in another process of the same binary, which has what its account may read and nothing else.
//
// A front (the server) starts workers ([Start]). Between the two are three sockets that the worker inherits: by the first the front calls the
// worker, by the second the worker calls the front (net/rpc both), by the third it is handed descriptors: a socket for every session, and
// files that it asked for ([Process.Hand], [Inherited.Await]). On a session's socket commands go one way and answers the other ([Session.Do],
// [Serve]).
//
// What it promises:
//
//  1. A worker begins with an empty environment, in the root directory, with no open file but its sockets and the standard streams, without core
//     dumps, and dies with its front. Where the kernel lets it, it is in a network namespace of its own, which has no network ([Process.Network]
//     says whether).
//  2. A command ends when its context does: the worker is asked first, and killed when it has not ended within [Patience].
//     The session's next command finds a worker that is gone ([ErrGone]).
//  3. Rows are passed on as the worker has sent them, batch by batch: nothing waits in memory but one batch.
//
// It knows no engine's plan, no catalog and no account: what is called by rpc is the business of who registers it.
package worker
