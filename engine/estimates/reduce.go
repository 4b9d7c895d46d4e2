package estimates

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// reduced merges a unit's classes that no combination distinguishes, and sets those that no combination uses to NoClass.
func reduced(c estimate.Classes) estimate.Classes {
	if c.Of == nil {
		return c
	}
	units := slices.Clone(c.Units)
	for i := range units {
		stride := 1
		for _, unit := range units[:i] {
			stride *= unit.Classes
		}
		parts, codes := partsOf(moved(c.Of, stride, units[i].Classes), units[i].Classes)
		to, kept := slices.Repeat([]uint32{estimate.NoClass}, units[i].Classes), [][]uint32(nil)
		for p, part := range parts {
			if isNowhere(part) {
				continue
			}
			for _, code := range codes[p] {
				to[code] = uint32(len(kept))
			}
			kept = append(kept, part)
		}
		units[i].Class = composeClasses(units[i].Class, to)
		units[i].Classes = len(kept)
		c.Of = joinParts(kept, stride)
	}
	c.Units = units
	return c
}

// moved returns a table in which the variable with n values and this stride varies slowest.
func moved(table []uint32, stride, n int) []uint32 {
	to := make([]uint32, 0, len(table))
	for code := range n {
		for from := code * stride; from < len(table); from += n * stride {
			to = append(to, table[from:from+stride]...)
		}
	}
	return to
}

// joinParts returns a table whose parts are those of a variable with this stride.
func joinParts(parts [][]uint32, stride int) (table []uint32) {
	if len(parts) == 0 {
		return nil
	}
	for from := 0; from < len(parts[0]); from += stride {
		for _, part := range parts {
			table = append(table, part[from:from+stride]...)
		}
	}
	return table
}

// composeClasses returns classes of classes.
func composeClasses(class, of []uint32) []uint32 {
	to := make([]uint32, len(class))
	for i, c := range class {
		if to[i] = estimate.NoClass; c != estimate.NoClass {
			to[i] = of[c]
		}
	}
	return to
}

// isInjective reports whether all entries other than NoClass differ.
func isInjective(table []uint32) bool {
	seen := make(map[uint32]bool, len(table))
	for _, entry := range table {
		if entry != estimate.NoClass && seen[entry] {
			return false
		}
		seen[entry] = true
	}
	return true
}

// fewRaw is the least number of classes at which a column replaces its classes, if each class has one value.
const fewRaw = 3

// rawClasses maps values to classes for a unit whose column replaces its classes; nil for others.
func rawClasses(unit *estimate.ClassUnit) map[anonymize.Value]uint32 {
	if len(unit.Columns) > 1 || unit.Classes < fewRaw || !isInjective(unit.Class) {
		return nil
	}
	classes := make(map[anonymize.Value]uint32, unit.Classes)
	for code, class := range unit.Class {
		if class != estimate.NoClass {
			classes[unit.Dictionaries[0][code]] = class
		}
	}
	return classes
}
