// Package acceptance tests the whole product over the wire, in the roles of its clients: owners, analysts, tools and attackers. It
// holds only tests, and needs sockets. The tests of a single room are beside that room's code.
package acceptance
