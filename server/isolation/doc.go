// Package isolation is a test: statements of accounts that read releases only, in processes of their own (package server/worker). It wants that they are
// answered as the server answers them, that whatever they do they can be ended, and that nobody else notices.
package isolation
