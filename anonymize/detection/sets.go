package detection

import (
	"slices"
	"strings"
	"unicode"

	"github.com/anonsql/anonsql/anonymize"
)

// separators may separate the codes of a cell.
var separators = []string{";", "|", ",", "/"}

const (
	minSetShare   = 1. / 3 // of the texts hold several codes
	minRecurrence = 3      // times a code occurs, on average
	minAnyPlace   = 0.5    // of the last codes that are also first ones elsewhere: "Smith, John" has two kinds of parts
	maxCode       = 24     // letters of a code
)

// Separator returns the separator of codes in cells with several, such as ; in I10;E11, if the
// codes recur in many cells or are diagnoses; "" if cells have one value.
func Separator(dictionary []anonymize.Value) string {
	var cells []string
	for _, v := range dictionary {
		if v.Kind == anonymize.Text {
			cells = append(cells, v.Text)
		}
	}
	at := slices.IndexFunc(separators, func(separator string) bool { return areSets(cells, separator) })
	if at < 0 {
		return ""
	}
	return separators[at]
}

func areSets(cells []string, separator string) bool {
	occurs, first, last := make(map[string]int), make(map[string]bool), make(map[string]bool)
	several, codes := 0, 0
	for _, cell := range cells {
		parts := strings.Split(strings.Trim(cell, " "+separator), separator)
		for i, part := range parts {
			part = strings.ToLower(strings.TrimSpace(part))
			if !strings.ContainsFunc(part, unicode.IsLetter) || len(part) > maxCode { // numbers: days, fractions, amounts
				return false
			}
			codes++
			occurs[part]++
			first[part] = first[part] || i == 0
			last[part] = last[part] || i > 0 && i == len(parts)-1
		}
		if len(parts) > 1 {
			several++
		}
	}
	both, ends := 0, 0
	for part := range last {
		if last[part] {
			if ends++; first[part] {
				both++
			}
		}
	}
	recur, exchange := codes >= minRecurrence*len(occurs), float64(both) >= minAnyPlace*float64(ends)
	return several > 0 && float64(several) >= minSetShare*float64(len(cells)) && (recur && exchange || share(cells, isDiagnoses) >= minShapedShare)
}
