// Package admission decides who may be connected, and when a password is
// looked at. It knows addresses and names of accounts, and neither sockets nor
// the protocol.
//
// Principles:
//
//  1. Unauthenticated sockets never displace authenticated ones. They are counted
//     apart, for each address and in all. A new one is always let in; above a limit
//     the server closes the oldest unauthenticated one, first of the same address,
//     then of all. So an attacker displaces his own sockets, and idle sockets do not
//     displace a client that logs in at once.
//  2. The server closes a socket that has not logged in after a while, whatever it
//     does meanwhile.
//  3. An authenticated client is never disconnected. A login above a limit is refused:
//     above the limit of all, of the address, or of the account. Some places above the
//     limit of all are kept for administrators, who are under no other limit.
//  4. After some failed logins of an account from an address, the next one from
//     there waits before its password is checked, right or wrong: a delay of wrong
//     passwords alone would not slow down a client that does not wait for the answer.
//     The delay doubles up to a bound, and a right password ends it. Other addresses
//     and other accounts do not wait.
//  5. Memory is bounded, and no lock is held during a wait.
//
// An address is an IPv4 address, or the network of 64 bits of an IPv6 address:
// that is what one subscriber has.
//
// Not promised: that somebody at the attacker's own address can log in while the
// attacker there keeps guessing the password of the same account, or opens so
// many new sockets a second that each is displaced before it can log in.
package admission
