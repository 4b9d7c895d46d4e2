package detection

import (
	"fmt"
	"slices"
	"strings"
)

// numberWords mean that a column numbers something.
var numberWords = words(`id, ids, key, pk, uid, no, nr, num, number, nummer, numero, numer, identifier, kennung,
	identifiant, identificador, identificativo, serial`)

// fewestKeys is the number of rows from which on it is no chance that all values differ.
const fewestKeys = 20

// key suggests a role for a declared key, and for a column of unique values that is named like
// a number or whose integers have few gaps. Distinct amounts have many gaps.
func key(e *evidence) (Role, string) {
	s := e.suggestion
	switch {
	case e.declared:
		return ExplicitIdentifier, fmt.Sprintf("it is the table's key: %d rows have %d values", e.rows, s.Distinct)
	case e.rows < fewestKeys || s.Unique < e.rows || e.values.fractional || e.values.dates || e.values.sentences:
		return "", ""
	case e.words.role == QuasiIdentifier && e.words.strength == strongEvidence:
		return "", ""
	case e.numbers() || e.values.whole && e.values.high-e.values.low < 2*float64(e.rows):
		return ExplicitIdentifier, fmt.Sprintf("every one of %d rows has a value of its own: it is a key", e.rows)
	}
	return "", ""
}

// numbers reports whether a part of the name means that the column numbers something.
func (e *evidence) numbers() bool {
	return slices.ContainsFunc(partsOf(e.column.Name), func(p string) bool { return slices.Contains(numberWords, p) })
}

// units are what several persons belong to, and numbered units are both in one word.
var (
	units = words(`household, house, hh, family, fam, haushalt, haushalts, familie, familien, menage, foyer,
		famille, hogar, familia, famiglia, nucleo, agregado, huishouden, gospodarstwo, couple, dwelling`)
	numberedUnits = words("hid, hhid, hhno, hhnr, hhnum, idhh, idhog, famid, familyid, householdid, haushaltsnummer, haushaltsid")
)

// unitNumbers suggests a role for a number that several rows share: it identifies their household, whose members know each other.
func unitNumbers(e *evidence) (Role, string) {
	parts, s := partsOf(e.column.Name), e.suggestion
	if s.Distinct >= e.known || e.known > maxShared*s.Distinct || e.values.fractional || e.values.dates {
		return "", ""
	}
	for _, p := range parts {
		unit := slices.Contains(units, p) && (e.numbers() || e.values.whole && len(parts) == 1)
		if unit || slices.Contains(numberedUnits, p) {
			return ExplicitIdentifier, fmt.Sprintf("named %q: it numbers %d households of %d rows", p, s.Distinct, e.known)
		}
	}
	return "", ""
}

// surveyNames are of weights alone; weightWords are of bodies, too.
var (
	surveyNames = words(`survey weight, survey weights, sampling weight, sample weight, design weight, household weight,
		household weights, person weight, final weight, base weight, replicate weight, weighting, weights,
		statistical weight, frequency weight, fnlwgt, wgt, wt, wts, pwgt, pwgtp, wgtp, pweight, perwt, hhwt, hhweight,
		asecwt, fweight, finalwt, expansion factor, weighting factor, gewichtung, gewichtungsfaktor, hochrechnungsfaktor,
		ponderation, poids de sondage, factor de expansion, ponderacion, ponderador, fator de expansao, peso amostral,
		peso campionario, wegingsfactor, weegfactor, waga proby`)
	weightWords = words("weight, gewicht, poids, peso, waga")
)

// Range of body weights, in kilograms, pounds, or grams of newborns.
const (
	lightest = 0.2
	heaviest = 6000
)

// surveyWeights: the number of people that a row represents is a property of the survey. Body weights have at most two decimals.
func surveyWeights(e *evidence) (Role, string) {
	if !e.column.IsNumeric() {
		return "", ""
	}
	parts := partsOf(e.column.Name)
	joined := " " + strings.Join(parts, " ") + " "
	named := ""
	for _, name := range surveyNames {
		if len(name) > len(named) && strings.Contains(joined, " "+name+" ") {
			named = name
		}
	}
	if i := slices.IndexFunc(parts, func(p string) bool { return slices.Contains(weightWords, p) }); named == "" && i >= 0 {
		if e.values.exact || e.values.low < lightest || e.values.high > heaviest {
			named = parts[i]
		}
	}
	if named == "" {
		return "", ""
	}
	if e.known < e.rows || e.values.low <= 0 {
		return Other, fmt.Sprintf("named %q, but NULL or not positive in some rows: no survey's weight is", named)
	}
	return Weight, fmt.Sprintf("named %q: a survey's weight says how many people a row stands for. It is published in classes", named)
}

// suggestOneWeight keeps the first weight only: a release has one. Replicate weights serve the errors of a survey's own figures.
func suggestOneWeight(suggestions []Suggestion) {
	first := -1
	for i, s := range suggestions {
		if s.Role == Weight && (first < 0 || isReplicate(suggestions[first].Column) && !isReplicate(s.Column)) {
			first = i
		}
	}
	for i := range suggestions {
		if s := &suggestions[i]; s.Role == Weight && i != first {
			s.Role, s.Reasons = Other, append(s.Reasons, fmt.Sprintf("A release has one weight, maybe %s", suggestions[first].Column))
		}
	}
}

func isReplicate(name string) bool {
	return slices.ContainsFunc(partsOf(name), func(p string) bool { return strings.HasPrefix(p, "rep") })
}
