package detection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// A Repetition is a column that identifies persons, or households, of whom the table has several rows.
type Repetition struct {
	Column string
	// Values is the number of persons, Rows that of rows with one.
	Values, Rows int
}

func (r Repetition) String() string { return fmt.Sprintf("%d values in %d rows", r.Values, r.Rows) }

// IsClear reports whether there are clearly fewer persons than rows. Few values may be shared properties, unless the column's name says that they
// are persons. Two values may be yes and no.
func (r Repetition) IsClear() bool {
	return slips*(r.Rows-r.Values) > r.Rows &&
		(r.Values >= fewestPersons || r.Rows <= maxShared*r.Values || r.Values > 2 && namingOf(r.Column) == ofPersons)
}

// NamesPersons reports whether a column's name has only words for persons or households and their numbers.
func NamesPersons(column string) bool { return namingOf(column) != noUnits }

// MayNameUnits reports whether a column's name may mean persons or households; RepeatedUnit then examines its values.
func MayNameUnits(column string) bool {
	return NamesPersons(column) || ofName(column).unit
}

// RepeatedUnit finds the column that identifies persons or households with several rows. declared are the
// owner's identifiers. Numbers and codes of persons do not recur by chance; names, and values that rows usually
// share, do, so another column must confirm them (confirmed). Of several columns, the one with the most values
// is the unit. It takes one pass over each column and over each pair of a name and another column.
func RepeatedUnit(t *anonymize.Microdata, columns, declared []string) (unit Repetition, found bool) {
	candidates, others := evidenceOf(t, columns)
	e := repeatedUnit(candidates, func(e *evidence) bool { return isNamed(e.column, declared) }, others)
	if e == nil {
		return unit, false
	}
	return e.repetition(), true
}

// evidenceOf returns what is known about the named columns, and the other columns.
func evidenceOf(t *anonymize.Microdata, named []string) (candidates []*evidence, others []*anonymize.Column) {
	for _, c := range t.Columns {
		if isNamed(c, named) {
			candidates = append(candidates, newEvidence(c))
		} else {
			others = append(others, c)
		}
	}
	return candidates, others
}

func isNamed(c *anonymize.Column, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, c.Name) })
}

// RepeatedRows finds what may be persons with several rows in a table without a [RepeatedUnit]: they recur so rarely that it may be a mistake, or
// the values are so few that they may be shared properties. Of several columns, it returns the one with the most values.
func RepeatedRows(t *anonymize.Microdata, columns, declared []string) (doubtful Repetition, found bool) {
	candidates, others := evidenceOf(t, columns)
	for _, e := range candidates {
		if e.persons() == e.known || found && e.persons() <= doubtful.Values {
			continue
		}
		if names, surely := e.namesUnits(isNamed(e.column, declared)); surely || names && confirmed(e.column, others) {
			doubtful, found = e.repetition(), true
		}
	}
	return doubtful, found
}

// repeatedUnit returns nil if none of the candidates is a unit.
func repeatedUnit(candidates []*evidence, declared func(*evidence) bool, others []*anonymize.Column) (best *evidence) {
	for _, e := range candidates {
		if best != nil && e.persons() <= best.persons() || !e.repetition().IsClear() {
			continue
		}
		if names, surely := e.namesUnits(declared(e)); names && (surely || confirmed(e.column, others)) {
			best = e
		}
	}
	return best
}

// Repeated persons in more than a hundredth of the rows are no slip. A column with very few values per row has shared properties.
const (
	slips         = 100
	fewestPersons = 15
)

// persons returns the number of values other than NULL.
func (e *evidence) persons() int {
	if e.known < e.rows {
		return e.suggestion.Distinct - 1
	}
	return e.suggestion.Distinct
}

// repetition ignores rows whose person is NULL, which belong to nobody.
func (e *evidence) repetition() Repetition { return Repetition{e.column.Name, e.persons(), e.known} }

// A naming is what a column numbers, by its name.
type naming int

const (
	noUnits naming = iota
	ofPersons
	ofHouseholds
)

// namingOf recognises a name that has only words for persons and numbers (patient, customer_no), one word for
// both, or an ID of nothing. The sex of a patient is no patient, and the ID of a product no person.
func namingOf(column string) (n naming) {
	parts := partsOf(column)
	switch {
	case len(parts) == 1 && slices.Contains(idWords, parts[0]):
		return ofPersons
	case slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(numberedUnits, p) }):
		return ofHouseholds
	}
	for _, p := range parts {
		switch {
		case slices.Contains(personWords, p) || slices.Contains(numberedPersons, p):
			n = max(n, ofPersons)
		case slices.Contains(units, p):
			n = ofHouseholds
		case !slices.Contains(numberWords, p):
			return noUnits
		}
	}
	return n
}

var (
	idWords     = words("id, uid, identifier")
	personWords = words(`patient, person, subject, participant, proband, respondent, resident, citizen, inhabitant,
		customer, client, member, user, employee, worker, student, pupil, insured, beneficiary, claimant, borrower,
		taxpayer, guest, donor, passenger, account, patientin, patienten, personen, kunde, kunden, mitglied, mitglieds,
		mitarbeiter, schueler, teilnehmer, versicherte, versicherter, versicherten, einwohner, personne, assure, eleve,
		etudiant, salarie, paciente, persona, cliente, empleado, alumno, socio, usuario, participante, paziente, utente,
		dipendente, studente, assistito, pessoa, funcionario, aluno, persoon, klant, werknemer, leerling, deelnemer,
		pacjent, osoba, klient, pracownik, uczen`)
	numberedPersons = words(`pid, patid, patno, patnr, patientid, patientno, personid, subjid, subjectid, usubjid, custid,
		customerid, clientid, userid, memberid, empid, employeeid, studentid, respid, caseid, pnr, personennummer,
		patientennummer, kundennummer, mitgliedsnummer, personalnummer, matrikelnummer, versichertennummer`)
)

// namesUnits reports whether the values may identify persons or households, by name or declaration, and whether
// they surely do: numbers and codes are unique. Places of residence and free texts identify nobody.
func (e *evidence) namesUnits(declared bool) (names, surely bool) {
	if e.values.dates || e.values.fractional || e.values.sentences {
		return false, false
	}
	switch named := namingOf(e.column.Name); {
	case named == ofHouseholds:
		return e.known <= maxShared*e.persons(), !e.values.words
	case named == ofPersons:
		return true, !e.values.words
	case e.words.role == ExplicitIdentifier && e.words.strength > weakEvidence:
		return e.words.unit, declared && !e.values.words
	case declared:
		return e.words.role != QuasiIdentifier && e.words.role != Sensitive || e.numbers(), !e.values.words
	}
	return e.values.personal != "", false
}

// Names that confirm nothing, and that two rows agree by chance so often that it says nothing.
const (
	fewestPairs = 20
	usualChance = 0.2
)

// confirmed reports whether rows with one value mostly agree in a column in which the table's rows do not: namesakes differ in age.
func confirmed(c *anonymize.Column, others []*anonymize.Column) bool {
	before := make([]int, c.Rows()) // the last row before it with its value, -1 for none
	last, pairs := make([]int, len(c.Dictionary)), 0
	for code := range last {
		last[code] = -1
	}
	for row, code := range c.Codes {
		before[row] = -1
		if !c.Dictionary[code].IsNull() {
			before[row], last[code] = last[code], row
		}
		if before[row] >= 0 {
			pairs++
		}
	}
	return pairs >= fewestPairs && slices.ContainsFunc(others, func(other *anonymize.Column) bool {
		chance, alike := 0.0, 0
		for _, n := range other.Histogram() {
			share := float64(n) / float64(other.Rows())
			chance += share * share
		}
		if chance > usualChance {
			return false
		}
		for row, code := range other.Codes {
			if before[row] >= 0 && other.Codes[before[row]] == code {
				alike++
			}
		}
		return 2*alike > pairs
	})
}

// constancy says whether a column is constant within units, or how it varies: "constant in patient", "varies in
// patient: 2.1 values of 2.9 rows". rows are ordered by unit, ends has the end of each. One pass.
func constancy(c *anonymize.Column, unit string, rows []int, ends []int) string {
	seen := make([]int, len(c.Dictionary)) // the unit of the last row with the value, from 1
	values, varying, start := 0, 0, 0
	for u, end := range ends {
		own := 0
		for _, row := range rows[start:end] {
			if code := c.Codes[row]; seen[code] != u+1 {
				seen[code] = u + 1
				own++
			}
		}
		if own > 1 {
			varying++
		}
		values, start = values+own, end
	}
	switch units := len(ends); {
	case varying == 0:
		return "constant in " + unit
	case mostlyConstant*varying <= units:
		return fmt.Sprintf("constant in %s, but for %d of %d", unit, varying, units)
	default:
		return fmt.Sprintf("varies in %s: %.1f values of %.1f rows", unit, float64(values)/float64(units), float64(len(rows))/float64(units))
	}
}

// mostlyConstant: one unit of so many has several values by a slip.
const mostlyConstant = 20

// byUnit sorts the rows of a column by value, without NULL; ends has the end of each value's rows.
func byUnit(c *anonymize.Column) (rows, ends []int) {
	next := make([]int, len(c.Dictionary)) // where the next row of a value goes
	total := 0
	for code, n := range c.Histogram() {
		next[code] = total
		if n > 0 && !c.Dictionary[code].IsNull() {
			total += n
			ends = append(ends, total)
		}
	}
	rows = make([]int, total)
	for row, code := range c.Codes {
		if !c.Dictionary[code].IsNull() {
			rows[next[code]] = row
			next[code]++
		}
	}
	return rows, ends
}
