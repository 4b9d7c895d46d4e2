// Package assignments makes what UPDATE, DELETE, INSERT and SET write what MySQL does to them.
//
// Principles:
//
//  1. A row is changed when one of its values is another one, byte for byte, whatever its collation holds equal, and
//     ON UPDATE CURRENT_TIMESTAMP follows from that ([Applied]).
//  2. A statement over a join reads the whole join before it writes. Every row of every target is written once, with the
//     values of the first row of the join that it is in; a row that an outer join made up is none ([Joined]).
//  3. One table under several names is one table: every name assigns its own columns to what the others have written.
//  4. Generated columns, ON UPDATE CURRENT_TIMESTAMP and CHECKs are those of the table that is written.
//  5. ON DUPLICATE KEY UPDATE computes what follows from its assignments ([Derived]), refuses NULLs for columns that take none, and counts rows
//     by principle 1 ([Inserted]).
//  6. SET and INTO give variables dates as texts ([Variables]); SET computes all its values before it assigns one ([ComputeFirst]).
//  7. A text that is stored as JSON is read with its whole numbers, but in INSERT ... SELECT ([Assigned]).
//  8. A statement reads the table that it writes as it was before it wrote ([ReadFirst]).
//  9. Values are converted on their way into a column as MySQL converts them ([Inserted], [Assigned]): a date has a number, a text
//     with spaces around it is a date, a DATETIME has a time of the day, an ENUM is the member of the same name. What does not fit is an error in
//     strict SQL modes, and so is a division by zero. Generated columns are computed of what is stored ([Computed]), CHECKs look at it, and DEFAULT in
//     UPDATE is assigned in its turn.
//  10. ON DUPLICATE KEY UPDATE reads columns of a query as the query selects them ([SelectedRows]).
//
// It refuses with MySQL's numbers: a key that is assigned while its table is written under another name (1706), ORDER BY and
// LIMIT over a join (1221), and targets that are no tables (1288). Probes of the list in package answers show each.
package assignments
