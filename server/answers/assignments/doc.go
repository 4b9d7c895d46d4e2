// Package assignments makes UPDATE, DELETE, INSERT and SET write what they write in MySQL.
//
// Principles:
//
//  1. A row counts as changed if one of its values differs byte for byte, even if the collation takes both as equal.
//     ON UPDATE CURRENT_TIMESTAMP follows this rule ([Applied]).
//  2. A statement over a join reads the whole join before it writes. Every row of every target is written once, with the
//     values of the first row of the join that contains it; NULL rows of an outer join are not written ([Joined]).
//  3. Several names of one table are the same table: every name assigns its own columns on top of what the others wrote.
//  4. Generated columns, ON UPDATE CURRENT_TIMESTAMP and CHECKs are those of the target table.
//  5. ON DUPLICATE KEY UPDATE computes generated columns after its assignments ([Derived]), refuses NULL for NOT NULL columns, and counts rows
//     by principle 1 ([Inserted]).
//  6. SET and INTO give variables dates as texts ([Variables]); SET computes all its values before it assigns one ([ComputeFirst]).
//  7. A text stored as JSON keeps its integers exact, except in INSERT ... SELECT ([Assigned]).
//  8. A statement reads the table that it writes as it was before the statement ([ReadFirst]).
//  9. Values are converted to the type of their column as in MySQL ([Inserted], [Assigned]): a date to a number, a text with spaces around it to a
//     date, a DATETIME to a time of the day, an ENUM to the member of the same name. In strict SQL modes a value that does not fit is an error, and so
//     is a division by zero. Generated columns and CHECKs use the stored values ([Computed]), and DEFAULT in UPDATE is assigned in its turn.
//  10. ON DUPLICATE KEY UPDATE reads columns of the inserted query's rows ([SelectedRows]).
//
// It refuses with MySQL's numbers: assigning a key while its table is written under another name (1706), ORDER BY and LIMIT
// over a join (1221), and targets that are not tables (1288). The list in package answers has a probe for each principle.
package assignments
