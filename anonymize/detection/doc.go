// Package detection suggests what the columns of a table about people are: explicit identifiers, quasi-identifiers, sensitive attributes, or nothing that
// needs a role. It says why. In the end only the owner knows what is sensitive; a suggestion saves work and points out what the owner may have overlooked.
//
// A column is judged by four kinds of evidence, in this order:
//
//  1. What its values look like: e-mail addresses, phone numbers, IBANs with their check digits, codes of diagnoses.
//  2. What words its name has, in eight languages: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish.
//  3. How many values it has, and how many rows have a value that no other row has.
//  4. Whether another column determines it.
//
// Without evidence a column is a quasi-identifier: to omit one that links records does more harm than to keep one that does not.
//
// The roles are those of Samarati and Sweeney (1998) and Machanavajjhala et al. (2006). Which attributes are sensitive follows Article 9 of the GDPR, with
// money, marks and offences beside it; race and nationality are quasi-identifiers, since others see or know them.
//
// Beside the role it names the identifier of the HIPAA Privacy Rule's Safe Harbor method, 45 CFR
// 164.514(b)(2)(i), that a column is, and what the rule allows instead. Names of columns are read
// in English there, as the rule is. A table without such columns is not yet de-identified: the
// rule also requires that the covered entity knows of no way to identify a person from the rest.
//
// For cells that hold several codes it reports their separator. For two dates of a row it says what the
// time between them would be: an age, a length of stay.
//
// Cost: one pass over the codes of every column, one over its dictionary, and for every pair of columns as many rows as it takes to see that one
// does not determine the other.
package detection
