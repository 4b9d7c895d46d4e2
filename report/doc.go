// Package report writes what a release is, to be read by people: one HTML page
// that a browser shows without scripts, without a network and without the server
// that made it.
//
// Principles:
//
//  1. The page says what its reader may know and no more. Whoever makes a
//     [Subject] decides: what is not in it is not in the page. Nothing here opens
//     a raw table; the package imports nothing that could. For who may not read that
//     table the page has what follows from the relations, and nothing measured.
//  2. Every figure is that of a stored record, or recomputed from the fragments
//     now. None is measured for the page only. A figure stands in <data
//     value="..."> with all its digits beside the rounded text.
//  3. Nothing is fetched and nothing runs: the policy in the page's head forbids
//     everything but its own style sheet, which it names by its hash.
//  4. What people have named (releases, columns, values) is text: it is escaped
//     where it stands by html/template, isolated from the direction of the text
//     around it, and never a part of a drawing.
//  5. The first page decides: what somebody can know for sure, and answers of little use, are red, promises are green that were asked for, hold, and could
//     have been broken. [Concerns] is the one source of what is red and what is remarked; CALL anonymize says the same.
//  6. Drawings are SVG with positions in percent, so that they fit a telephone
//     and a screen without shrinking their text; each has a title that says in
//     words what it shows, and its figures stand in a table or a list beside it.
//
// [RiskOf] is the disclosure-risk curve: which share of the records gives away its
// sensitive value, or itself, with at least a probability. It is Fig. 5 of Li et
// al., cross-bucket generalization, for every kind of release, read off the
// fragments alone.
package report
