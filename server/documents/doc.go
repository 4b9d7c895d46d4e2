// Package documents is a test: it plays the pages of docs/, README.md and SECURITY.md on servers with the sample people.
//
// Every statement of a page must run unchanged, in order, whichever pages came before, and its answer must fit a terminal. The
// package is separate because its pages publish with every method: it runs in parallel with the tests of package server.
//
//	go test ./server/documents -run 'TestDocuments/forwards/tutorial.md'
package documents
