// Package acceptance asks the whole product over the wire, as its clients do: owners, analysts, tools, and those who mean harm. It is
// nothing but tests, and needs sockets; tests of one room are beside its code.
package acceptance
