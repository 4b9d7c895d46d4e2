// Package isolation is a test of worker processes (package server/worker), which run statements of accounts that read only releases. Their answers must
// equal the server's, every statement must be stoppable, and no other session may notice.
package isolation
