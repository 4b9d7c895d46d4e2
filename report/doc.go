// Package report describes a release for people: one HTML page that a browser shows
// without scripts, without a network and without the server that made it.
//
// Principles:
//
//  1. The page shows only what its reader may know. The maker of a [Subject] decides:
//     the page contains nothing else. The package opens no raw table, and imports
//     nothing that could. A reader without access to that table sees only what follows
//     from the relations, no measurements.
//  2. Every figure comes from a stored record, or is recomputed from the fragments.
//     None is measured for the page only. A figure stands in <data value="..."> with
//     all its digits beside the rounded text.
//  3. The page fetches nothing and runs nothing: the policy in its head forbids
//     everything except its own style sheet, identified by its hash.
//  4. Names by users (releases, columns, values) are text: html/template escapes them,
//     their direction is isolated from the text around them, and they are never part of
//     a drawing.
//  5. The first page helps to decide: facts that somebody can know for sure, and answers of little use, are red; promises that the owner demanded, that
//     hold, and that could have failed, are green. [Concerns] is the only source of red items and remarks; CALL anonymize reports the same.
//  6. Drawings are SVG with positions in percent, so that they fit a telephone
//     and a screen without shrinking their text; each has a title that says in
//     words what it shows, and its figures stand in a table or a list beside it.
//
// [RiskOf] is the disclosure-risk curve: for every probability, the share of records
// whose sensitive value, or identity, an attacker learns with at least that
// probability. It is Fig. 5 of Li et al., cross-bucket generalization, for every kind
// of release, computed from the fragments alone.
package report
