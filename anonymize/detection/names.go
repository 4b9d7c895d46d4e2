package detection

import (
	"slices"
	"strings"
	"unicode"
)

// A strength says how conclusive a word is.
type strength int

const (
	weakEvidence   strength = iota + 1 // together with other evidence
	usualEvidence                      // usually
	strongEvidence                     // always
)

// A verdict is the conclusion from a column's name; the role is "" for none.
type verdict struct {
	role     Role
	strength strength
	word     string // as in the dictionary, or its beginning
	why      string
	whole    bool // the name has nothing else
	unit     bool // its values identify one person each
}

// ofName returns the verdict of the most conclusive word of a name. Words of several parts
// outrank their parts: marital status is no status of illness. Among equally strong words, one
// for an identifier comes first, then one for a sensitive attribute, to be safe. If no word
// matches, it looks for abbreviations.
func ofName(name string) (best verdict) {
	parts := partsOf(name)
	joined := strings.Join(parts, " ")
	longest := 0
	for _, topic := range topics {
		for _, word := range topic.words {
			if !hasWord(joined, parts, word, topic.alone) {
				continue
			}
			length := strings.Count(word, " ") + 1
			whole := word == joined
			if length > longest ||
				length == longest && (topic.strength > best.strength || topic.strength == best.strength && caution(topic.role) > caution(best.role)) {
				best, longest = verdict{topic.role, topic.strength, word, topic.why, whole, topic.unit}, length
			}
		}
	}
	if begun := ofBeginning(parts); best.role == "" || best.strength == weakEvidence && begun.role == Sensitive {
		return begun
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

// Minimal lengths of words that match inside another word, as in Familienstand or birthdate, with a grammatical
// ending, as in cities, or by their beginning, as diag; and of the other component of a compound.
const (
	longWord      = 5
	veryLongWord  = 7
	inflectedWord = 4
	shortened     = 4 // at least,
	unshortened   = 6 // and less than that
	otherWord     = 3
)

// endings are endings of plurals, cases and genders in the eight languages.
var endings = words("s, es, n, en, e, er, ne, a, as, i, o, os, y, ow, ie, ed, te, ten, em, ach")

// hasWord reports whether a name has a word: as whole parts, with a grammatical ending, or, unless alone is set, inside a part.
func hasWord(joined string, parts []string, word string, alone bool) bool {
	if strings.Contains(" "+joined+" ", " "+word+" ") {
		return true
	}
	if strings.Contains(word, " ") {
		return false
	}
	return slices.ContainsFunc(parts, func(p string) bool { return inflects(p, word) || !alone && compounds(p, word) })
}

func inflects(part, word string) bool {
	ending, ok := strings.CutPrefix(part, word)
	return ok && len(word) >= inflectedWord && slices.Contains(endings, ending)
}

// compounds reports whether a part is a compound of a long word and another one before or behind it. A part that is a
// word itself is no compound (a discharge is no charge), and the rest must be a known word: operating is no rating, an
// automobile no mobile. German and Dutch form compounds freely, so next to a very long word the rest need not be known.
func compounds(part, word string) bool {
	if len(word) < longWord || len(part) < len(word)+otherWord || isWord(part) {
		return false
	}
	if rest, ok := strings.CutPrefix(part, word); ok && (len(word) >= veryLongWord || isWord(rest) || isWord(strings.TrimPrefix(rest, "s"))) {
		return true
	}
	rest, ok := strings.CutSuffix(part, word)
	return ok && !slices.Contains(prefixes, rest) && (len(word) >= veryLongWord || isWord(rest) || slices.Contains(heads, word))
}

// isWord reports whether a part is a known word, possibly with a grammatical ending or the linking s of a compound.
func isWord(part string) bool {
	if knownWords[part] {
		return true
	}
	return slices.ContainsFunc(endings, func(ending string) bool {
		stem, ok := strings.CutSuffix(part, ending)
		return ok && len(stem) >= inflectedWord && knownWords[stem]
	})
}

// knownWords are the words of all topics, and other components of compounds.
var knownWords = func() map[string]bool {
	all := make(map[string]bool)
	for _, topic := range topics {
		for _, word := range topic.words {
			all[word] = true
		}
	}
	for _, word := range otherWords {
		all[word] = true
	}
	return all
}()

// ofBeginning returns the verdict of a part that abbreviates strong words. All of the words
// that it begins must have one role.
func ofBeginning(parts []string) (found verdict) {
	for _, p := range parts {
		if len(p) < shortened || len(p) >= unshortened || slices.Contains(wholeWords, p) {
			continue
		}
		if v := begunBy(p); caution(v.role) > caution(found.role) {
			found = v
		}
	}
	return found
}

func begunBy(part string) (found verdict) {
	for _, topic := range topics {
		for _, word := range topic.words {
			if len(word) < len(part)+2 || strings.Contains(word, " ") || !strings.HasPrefix(word, part) {
				continue
			}
			if topic.strength < strongEvidence || found.role != "" && found.role != topic.role {
				return verdict{}
			}
			found = verdict{role: topic.role, strength: usualEvidence, word: part, why: topic.why}
		}
	}
	return found
}

// wholeWords are beginnings of other words, but words themselves.
var wholeWords = words(`part, form, plan, post, test, home, case, rate, stat, port, cont, bank, hand, char, over, sure,
	treat, warn, pass, first, last, full, cell, conf, util, abort, gross, minus, misc, stype, conv`)

// prefixes change the meaning of a word.
var prefixes = words(`dis, mis, non, pre, out, over, under, sub, inter, trans, super, anti, counter, auto, micro, tele,
	mega, com, para, ver, ent`)

// heads are short final components of German and Dutch compounds.
var heads = words("kosten, gehalt, kredit, steuer, rente, bedrag, groesse, punkte, datum, alter, strasse, nummer")

// otherWords are components of compounds beside the words of topics.
var otherWords = words(`type, level, status, group, count, total, gross, net, annual, monthly, yearly, weekly, work, cell,
	mobile, cust, patient, person, user, date, code, rate, last, first, zahl, haupt, neben, brutto, netto, jahres, monats,
	gesamt, koerper, art, grad, stufe, gruppe, heim, kranken, arzt, eltern, mutter, vater, student, studenten, patienten,
	personen, mitarbeiter, aantal, soort`)

// partsOf splits a name at signs, before a capital after a lower-case letter, and before a digit after a letter; it drops case and accents.
func partsOf(name string) []string {
	var b strings.Builder
	before := rune(0)
	for _, c := range name {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			b.WriteByte(' ')
		default:
			if unicode.IsUpper(c) && unicode.IsLower(before) || unicode.IsDigit(c) && unicode.IsLetter(before) {
				b.WriteByte(' ')
			}
			b.WriteString(folded(unicode.ToLower(c)))
		}
		before = c
	}
	return strings.Fields(b.String())
}

// folded returns a lower-case letter without its accent, as typed on other keyboards.
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
