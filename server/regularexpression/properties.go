package regularexpression

import (
	"strings"
	"sync"
	"unicode"
)

// The tables of ICU's classes.
var (
	alphabetic = []*unicode.RangeTable{unicode.L, unicode.Nl, unicode.Other_Alphabetic}
	uppercase  = []*unicode.RangeTable{unicode.Lu, unicode.Other_Uppercase}
	lowercase  = []*unicode.RangeTable{unicode.Ll, unicode.Other_Lowercase}
	wordTables = []*unicode.RangeTable{unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc, unicode.Join_Control}
	// extending characters belong to the previous character when the machine looks for word boundaries.
	extending = []*unicode.RangeTable{unicode.Mn, unicode.Me, unicode.Other_Grapheme_Extend, unicode.Cf}
)

// terminators end a line, for dots, ^, $, \v and \R.
var terminators = set{'\n', '\r', 0x85, 0x85, 0x2028, 0x2029}

// Frequent sets are built once, at first use, and never modified.
var (
	alphabeticSet = sync.OnceValue(func() set { return ofTables(alphabetic...) })
	wordSet       = sync.OnceValue(func() set { return ofTables(wordTables...) })
	digitSet      = sync.OnceValue(func() set { return ofTables(unicode.Nd) })
	spaceSet      = sync.OnceValue(func() set { return ofTables(unicode.White_Space) })
	upperSet      = sync.OnceValue(func() set { return ofTables(uppercase...) })
	lowerSet      = sync.OnceValue(func() set { return ofTables(lowercase...) })
	blankSet      = sync.OnceValue(func() set { return ofTables(unicode.Zs).union(set{'\t', '\t'}) })
	// casedSet has the characters that may have other cases.
	casedSet = sync.OnceValue(func() set {
		var out set
		for _, r := range unicode.CaseRanges {
			out = append(out, rune(r.Lo), rune(r.Hi))
		}
		return out.tidy()
	})
)

func graphicSet() set {
	return ofTables(unicode.White_Space, unicode.Cc, unicode.Cs).union(unassigned()).not()
}
func printingSet() set { return graphicSet().union(blankSet()).and(ofTables(unicode.Cc).not()) }

func unassigned() set {
	if table, ok := unicode.Categories["Cn"]; ok {
		return ofTables(table)
	}
	return ofTables(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.C).not()
}

// posixClasses are the names in [[:name:]], with Unicode's meaning.
var posixClasses = map[string]func() set{
	"alpha": alphabeticSet,
	"alnum": func() set { return alphabeticSet().union(digitSet()) },
	"blank": blankSet,
	"cntrl": func() set { return ofTables(unicode.Cc) },
	"digit": digitSet,
	"graph": graphicSet,
	"lower": lowerSet,
	"print": printingSet,
	"punct": func() set { return ofTables(unicode.P) },
	"space": spaceSet,
	"upper": upperSet,
	"word":  wordSet,
	"xdigit": func() set {
		return digitSet().union(ofTables(unicode.Hex_Digit))
	},
}

// binaryProperties are properties that Unicode derives and Go has no tables of, under their loose names.
var binaryProperties = map[string]func() set{
	"alphabetic": alphabeticSet,
	"uppercase":  upperSet,
	"lowercase":  lowerSet,
	"any":        func() set { return set{0, unicode.MaxRune} },
	"ascii":      func() set { return set{0, 0x7f} },
	"assigned":   func() set { return unassigned().not() },
	"whitespace": spaceSet,
	"hexdigit":   func() set { return ofTables(unicode.Hex_Digit) },
}

// property returns the set of \p{name} or [[:name:]]: a POSIX class, a general category, a script or a property. A
// prefix general_category=, gc=, script= or sc= is optional. Case, spaces, - and _ in names do not matter.
func property(name string) (set, bool) {
	kind, value, qualified := strings.Cut(name, "=")
	if !qualified {
		value = name
	}
	wanted := loose(value)
	switch kind = loose(kind); {
	case qualified && (kind == "gc" || kind == "generalcategory"):
		return category(wanted)
	case qualified && (kind == "sc" || kind == "script"):
		return named(unicode.Scripts, wanted)
	case qualified:
		return nil, false
	}
	for _, own := range []map[string]func() set{posixClasses, binaryProperties} {
		if make, ok := own[wanted]; ok {
			return make(), true
		}
	}
	if s, ok := category(wanted); ok {
		return s, true
	}
	if s, ok := named(unicode.Scripts, wanted); ok {
		return s, true
	}
	return named(unicode.Properties, wanted)
}

func category(wanted string) (set, bool) {
	for long, short := range unicode.CategoryAliases {
		if loose(long) == wanted {
			wanted = loose(short)
			break
		}
	}
	if wanted == "cn" {
		return unassigned(), true
	}
	return named(unicode.Categories, wanted)
}

func named(tables map[string]*unicode.RangeTable, wanted string) (set, bool) {
	for name, table := range tables {
		if loose(name) == wanted {
			return ofTables(table), true
		}
	}
	return nil, false
}

func loose(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "", "_", "").Replace(name))
}
