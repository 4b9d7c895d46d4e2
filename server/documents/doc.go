// Package documents is a test: it plays the pages of docs/, README.md and SECURITY.md on servers with the sample people.
//
// It promises that every statement of a page runs as it stands, in its order, whichever pages were read before, and that its answer
// fits a terminal. It is a room of its own since its pages publish by every method: it runs beside the tests of server.
//
//	go test ./server/documents -run 'TestDocuments/forwards/tutorial.md'
package documents
