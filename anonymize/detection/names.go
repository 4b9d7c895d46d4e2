package detection

import (
	"strings"
	"unicode"
)

// A strength says how much a word tells.
type strength int

const (
	weak   strength = iota + 1 // says it beside other evidence
	usual                      // says it mostly
	strong                     // says it always
)

// A verdict is what a column's name says; the role is "" if it says nothing.
type verdict struct {
	role     Role
	strength strength
	word     string // as in the dictionary
	why      string
}

// ofName finds the word of a name that tells most. Words of several parts tell more than one of their parts: marital status is no status of illness. Of equally strong
// words that for an identifier counts, then that for a sensitive attribute: it is the safe side.
func ofName(name string) (best verdict) {
	parts := partsOf(name)
	joined := strings.Join(parts, " ")
	longest := 0
	for _, topic := range topics {
		for _, word := range topic.words {
			if !has(joined, parts, word) {
				continue
			}
			length := strings.Count(word, " ") + 1
			if length > longest || length == longest && (topic.strength > best.strength || topic.strength == best.strength && caution(topic.role) > caution(best.role)) {
				best, longest = verdict{topic.role, topic.strength, word, topic.why}, length
			}
		}
	}
	return best
}

func caution(r Role) int {
	switch r {
	case ExplicitIdentifier:
		return 2
	case Sensitive:
		return 1
	}
	return 0
}

// longWord is from how many letters on a word is found inside another, as in Familienstand or birthdate.
const longWord = 5

// has says whether a name has a word: as a part or parts of its own, or inside a part.
func has(joined string, parts []string, word string) bool {
	if strings.Contains(" "+joined+" ", " "+word+" ") {
		return true
	}
	if len(word) < longWord || strings.Contains(word, " ") {
		return false
	}
	for _, p := range parts {
		if strings.HasPrefix(p, word) || strings.HasSuffix(p, word) {
			return true
		}
	}
	return false
}

// partsOf divides a name at signs, and where a capital follows a small letter; letters lose case and accents.
func partsOf(name string) []string {
	var b strings.Builder
	before := rune(0)
	for _, c := range name {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			b.WriteByte(' ')
		default:
			if unicode.IsUpper(c) && unicode.IsLower(before) {
				b.WriteByte(' ')
			}
			b.WriteString(folded(unicode.ToLower(c)))
		}
		before = c
	}
	return strings.Fields(b.String())
}

// folded is a small letter without its accent, as people write it who have no such key.
func folded(c rune) string {
	if c < 0x80 {
		return string(c)
	}
	for plain, accented := range accents {
		if strings.ContainsRune(accented, c) {
			return plain
		}
	}
	return string(c)
}

var accents = map[string]string{
	"a": "àáâãåāăą", "ae": "äæ", "c": "çćčĉ", "d": "ďđð", "e": "èéêëēęě", "g": "ğģ", "i": "ìíîïīį", "l": "łľĺ", "n": "ñńňņ", "o": "òóôõōő", "oe": "öøœ",
	"r": "řŕ", "s": "śšşș", "ss": "ß", "t": "ťţț", "u": "ùúûūůűų", "ue": "ü", "y": "ýÿ", "z": "źżž",
}
