// Package detection suggests what the columns of a table about people are: explicit identifiers, quasi-identifiers, sensitive attributes, or nothing
// that needs a role. It says why. What is sensitive is the owner's knowledge in the end; a suggestion saves work, and tells what may be overlooked.
//
// A column is judged by four kinds of evidence, in this order:
//
//  1. What its values look like: e-mail addresses, phone numbers, IBANs with their check digits, codes of diagnoses.
//  2. What words its name has, in eight languages: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish.
//  3. How many values it has, and how many rows have one of their own.
//  4. Whether another column tells it.
//
// Where nothing says otherwise a column is a quasi-identifier: to leave out one that links does more harm than to keep one that does not.
//
// The roles are those of Samarati and Sweeney (1998) and Machanavajjhala et al. (2006). Which attributes are sensitive follows Article 9 of the GDPR, with
// money, marks and offences beside it; race and nationality are quasi-identifiers, since others see or know them.
//
// Beside the role it names the identifier of the HIPAA Privacy Rule's Safe Harbor method, 45 CFR
// 164.514(b)(2)(i), that a column is, and what the rule allows instead. Names of columns are read
// in English there, as the rule is. That no column is one does not make a table de-identified: the
// rule also asks that nobody knows a person from what is left.
//
// Of cells that hold several codes it says what stands between them.
// Of two dates of a row it says what a column of the time between them would be: an age, a length of stay.
//
// One pass over the codes of every column, one over its dictionary, and for pairs of columns as many rows as it takes to see that one does not tell
// the other.
package detection
