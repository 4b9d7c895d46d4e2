// Package admission decides who may be connected, and when a password is
// looked at. It knows addresses and names of accounts, and neither sockets nor
// the protocol.
//
// Principles:
//
//  1. Who has not logged in takes no place from who has. Sockets that have not
//     logged in are counted apart, for each address and in all. A new one is
//     always let in; above a limit the oldest that has not logged in gives way,
//     first of the same address, then of all. So an attacker displaces his own
//     sockets, and a client that logs in at once is not displaced by sockets
//     that do nothing.
//  2. Who has not logged in within the time for it is turned out, whatever it
//     does meanwhile.
//  3. Who has logged in is never turned out. A login above a limit is refused:
//     above the limit of all, of the address, or of the account. Some places
//     above the limit of all are kept for administrators, who are under no
//     other limit.
//  4. After some failed logins of an account from an address, the next one from
//     there waits before its password is looked at, right or wrong: a delay of
//     wrong ones alone would slow nobody down who does not wait for the answer.
//     The delay doubles up to a bound, a right password ends it, and nobody at
//     another address, and no other account, waits.
//  5. Memory is bounded, whoever connects, and nothing is locked while somebody
//     waits.
//
// An address is an IPv4 address, or the network of 64 bits of an IPv6 address:
// that is what one subscriber has.
//
// Not promised: that somebody at the attacker's own address can log in while the
// attacker there keeps guessing the password of the same account, or opens so
// many new sockets a second that each is displaced before it can log in.
package admission
