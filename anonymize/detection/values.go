package detection

import (
	"math"
	"math/big"
	"net/mail"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/anonsql/anonsql/anonymize"
)

// values describes the appearance of a column's values.
type values struct {
	// personal names their kind if each identifies one person, such as e-mail addresses.
	personal   string
	diagnoses  bool // codes of the ICD-10
	postal     bool
	dates      bool
	fractional bool // numbers, not all of them integers
	whole      bool // all numbers are integers, in any type: an identifier may be a DECIMAL(10,0) or a DOUBLE
	words      bool // letters that begin with a capital
	sentences  bool
	answers    bool    // yes and no, in words or as 0 and 1
	low, high  float64 // the least and the greatest number
	exact      bool    // most numbers have more than two decimals
}

// A shape is recognised in a value's text.
type shape struct {
	name string
	is   func(text string) bool
}

// personal are the shapes of values that identify one person.
var personal = []shape{
	{"e-mail addresses", isEmail},
	{"IBANs", isIBAN},
	{"numbers of payment cards", isCard},
	{"UUIDs", regexp.MustCompile(`^(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`).MatchString},
	{"addresses of network devices", regexp.MustCompile(`^(?i)[0-9a-f]{2}([:-][0-9a-f]{2}){5}$`).MatchString},
	{"addresses of computers (IP)", isIP},
	{"web addresses", regexp.MustCompile(`^(?i)(https?://|www\.)\S+$`).MatchString},
	{"social security numbers", regexp.MustCompile(`^\d{3}-\d{2}-\d{4}$`).MatchString},
	{vehicles, isVIN},
	{"phone numbers", isPhone},
}

// Diagnoses have a letter and two digits; U is for special purposes, and nobody's diagnosis before 2020.
var diagnosis = regexp.MustCompile(`^[A-Z]\d[0-9AB](\.[0-9A-Z]{1,4})?[!*+]?$`)

// Postal codes of a fixed form that numbers do not have: zeros in front, a gap, or letters among digits.
var postal = regexp.MustCompile(`^(0\d{4}|\d{5}-\d{4}|\d{3} \d{2}|\d{4} ?[A-Z]{2}|\d{2}-\d{3}|[A-Z]{1,2}\d[0-9A-Z]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d)$`)

// minShapedShare is the least share of values that must have a shape: every table has exceptions.
const minShapedShare = 0.8

// maxSentences is the share of sentences among texts that makes a column free-form: some entries are single words.
const maxSentences = minShapedShare / 2

// lookedAt is the number of a dictionary's values to examine, spread evenly.
const lookedAt = 2000

// valuesOf examines the occurring values.
func valuesOf(c *anonymize.Column, counts []int) (v values) {
	var texts []string
	v.low, v.high, v.exact, v.answers = numbersOf(c, counts)
	instants, fractions, wholes, known := 0, 0, 0, 0
	step := max(1, len(c.Dictionary)/lookedAt)
	for code := 0; code < len(c.Dictionary); code += step {
		if counts[code] == 0 || c.Dictionary[code].IsNull() {
			continue
		}
		known++
		switch value := c.Dictionary[code]; value.Kind {
		case anonymize.Text:
			texts = append(texts, strings.TrimSpace(value.Text))
		case anonymize.Instant:
			instants++
		case anonymize.Real, anonymize.Decimal:
			if value.Float == math.Trunc(value.Float) {
				wholes++
			} else {
				fractions++
			}
		case anonymize.Integer:
			wholes++
		}
	}
	if known == 0 {
		return v
	}
	v.dates = instants == known || share(texts, isDay) >= minShapedShare
	v.fractional, v.whole = fractions > 0 && fractions+wholes == known, wholes == known
	if len(texts) < known {
		return v
	}
	for _, s := range personal {
		if share(texts, s.is) >= minShapedShare {
			v.personal = s.name
			return v
		}
	}
	v.diagnoses = len(texts) > 2 && share(texts, isDiagnoses) >= minShapedShare
	v.postal = !v.diagnoses && share(texts, isPostal) >= minShapedShare && share(texts, postal.MatchString) > 0
	v.answers = share(texts, isAnswer) == 1
	v.words = share(texts, isName) >= minShapedShare
	v.sentences = share(texts, isSentence) >= maxSentences
	return v
}

// share returns the share of the texts with a shape.
func share(texts []string, is func(string) bool) float64 {
	n := 0
	for _, t := range texts {
		if is(t) {
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return float64(n) / float64(len(texts))
}

// isDiagnoses reports whether a text is a diagnosis or several, apart by a separator.
func isDiagnoses(text string) bool {
	codes := strings.FieldsFunc(text, func(c rune) bool { return slices.Contains(separators, string(c)) })
	return len(codes) > 0 && !slices.ContainsFunc(codes, func(code string) bool { return !diagnosis.MatchString(strings.TrimSpace(code)) })
}

func isEmail(text string) bool {
	at := strings.LastIndexByte(text, '@')
	if at < 1 || !strings.Contains(text[at:], ".") {
		return false
	}
	address, err := mail.ParseAddress(text)
	return err == nil && address.Address == text
}

func isIP(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil
}

// isPhone: seven to fifteen digits (ITU-T E.164) with a plus, or with the signs that people put between them.
func isPhone(text string) bool {
	digits, signs := 0, 0
	for i, c := range text {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == '+' && i == 0, strings.ContainsRune(" -/().", c):
			signs++
		default:
			return false
		}
	}
	return digits >= 7 && digits <= 15 && (signs >= 2 || strings.HasPrefix(text, "+") || signs == 1 && strings.HasPrefix(text, "0")) && !isDay(text)
}

// isIBAN checks the length and the check digits (ISO 13616: 97 leaves 1).
func isIBAN(text string) bool {
	text = strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	if len(text) < 15 || len(text) > 34 {
		return false
	}
	var digits strings.Builder
	for _, c := range text[4:] + text[:4] {
		switch {
		case c >= '0' && c <= '9':
			digits.WriteRune(c)
		case c >= 'A' && c <= 'Z':
			digits.WriteString(big.NewInt(int64(c - 'A' + 10)).String())
		default:
			return false
		}
	}
	if text[0] < 'A' || text[1] < 'A' {
		return false
	}
	n, ok := new(big.Int).SetString(digits.String(), 10)
	return ok && new(big.Int).Mod(n, big.NewInt(97)).Int64() == 1
}

// isCard checks the length and the check digit (ISO/IEC 7812, Luhn).
func isCard(text string) bool {
	text = strings.NewReplacer(" ", "", "-", "").Replace(text)
	if len(text) < 13 || len(text) > 19 {
		return false
	}
	sum := 0
	for i := range len(text) {
		c := text[len(text)-1-i]
		if c < '0' || c > '9' {
			return false
		}
		d := int(c - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

var day = regexp.MustCompile(`^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{2}|\d{4}))([ T].*)?$`)

// isDay recognises a date in the notation of several countries.
func isDay(text string) bool { return day.MatchString(text) }

var fiveDigits = regexp.MustCompile(`^\d{5}$`)

func isPostal(text string) bool { return postal.MatchString(text) || fiveDigits.MatchString(text) }

// isName: one to four words of letters, the first with a capital.
func isName(text string) bool {
	words := strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == ',' || c == '.' || c == '-' || c == '\'' })
	if len(words) == 0 || len(words) > 5 {
		return false
	}
	for _, w := range words {
		for _, c := range w {
			if !unicode.IsLetter(c) {
				return false
			}
		}
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	return unicode.IsUpper(first)
}

// isSentence: six words or more, four of them of letters.
func isSentence(text string) bool {
	words := strings.Fields(text)
	letters := 0
	for _, w := range words {
		if strings.IndexFunc(w, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsPunct(c) }) < 0 {
			letters++
		}
	}
	return len(words) >= 6 && letters >= 4
}
