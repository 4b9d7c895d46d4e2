package gate

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Masked replaces a name that must not stay, as ? replaces a value.
const Masked = "_"

var (
	digestList = regexp.MustCompile(`\?(?: ?, ?\?)+`)
	digestRows = regexp.MustCompile(`\((\?(?:, \.\.\.)?)\)(?: ?, ?\(\?(?:, \.\.\.)?\))+`)
)

// Digest is a statement without its values and without the names that its writer
// made up: literals are ?, lists of them one, comments and line breaks are gone. A
// word that is none of SQL's (known) stays when keeps says so, else it is Masked;
// keeps gets it as Words does. Variables of the session are always masked. As in
// MySQL two statements that differ in their values only have the same digest.
// limit is the greatest length of the result, in bytes, at least 3. Of a text only the
// first maskRead bytes are read.
//
// Names in double quotes (ANSI_QUOTES) are taken for texts, and masked as such. What
// such a mistake turns inside out is masked word by word all the same.
func Digest(text string, keeps func(word string) bool, limit int) string {
	d := digester{keeps: keeps, introducer: -1}
	read(text, d.add)
	out := string(d.out)
	if d.values > 1 {
		out = digestRows.ReplaceAllString(digestList.ReplaceAllString(out, "?, ..."), "($1), ...")
	}
	return shortened(strings.ToValidUTF8(out, Masked), limit)
}

// Words calls yield with every word of a text that is not SQL's: names as written
// without quotes, and system variables as @@name. It reads at most the first maskRead
// bytes, as Digest does.
func Words(text string, yield func(word string)) {
	read(text, func(k kind, token string, _ bool) {
		if name, ok := nameOf(k, token); ok && !isKnown(name) {
			yield(name)
		}
	})
}

// read calls add with each token of a text. apart says whether a blank or a comment
// precedes it.
func read(text string, add func(k kind, token string, apart bool)) {
	s := newScanner(text[:min(len(text), maskRead)], false, maskRead)
	for before := 0; ; before = s.at {
		k := s.next()
		if k == end || k == tooMany {
			return
		}
		add(k, s.text[s.from:s.at], s.from > before || before > 0 && isBlank(s.text[before-1])) // a string takes the blanks behind it
	}
}

// nameOf returns the name in a token, without quotes; false if the token cannot be a
// known name.
func nameOf(k kind, token string) (name string, ok bool) {
	switch k {
	case word:
		return token, true
	case quoted:
		return unquoted(token), true
	case variable:
		name, ok = strings.CutPrefix(token, "@@")
		for _, scope := range []string{"global.", "session.", "local.", "persist.", "persist_only."} {
			if len(name) > len(scope) && strings.EqualFold(name[:len(scope)], scope) {
				name = name[len(scope):]
				break
			}
		}
		return "@@" + unquoted(name), ok
	}
	return "", false
}

func unquoted(name string) string {
	if name == "" || name[0] != '`' {
		return name
	}
	name = name[1:]
	return strings.ReplaceAll(strings.TrimSuffix(name, "`"), "``", "`")
}

type digester struct {
	keeps  func(word string) bool
	out    []byte
	values int
	// introducer is where a word that may introduce the next text begins, such as
	// _utf8mb4'a' or N'a'; else -1.
	introducer int
}

func (d *digester) add(k kind, token string, apart bool) {
	introducer := d.introducer
	d.introducer = -1
	switch k {
	case text, number:
		if k == text && !apart && introducer >= 0 {
			d.out = d.out[:introducer]
		}
		d.values++
		token = "?"
	case word, quoted, variable:
		d.blank(apart)
		if k == word && (token[0] == '_' || token == "n" || token == "N") {
			d.introducer = len(d.out)
		}
		if name, ok := nameOf(k, token); !ok || !isKnown(name) && !d.keeps(name) {
			token = token[:len(token)-len(strings.TrimLeft(token, "@:"))] + Masked
		}
		d.out = append(d.out, token...)
		return
	default:
		if token[0] < ' ' || token[0] >= utf8.RuneSelf { // no sign of SQL
			token = Masked
		}
	}
	d.blank(apart)
	d.out = append(d.out, token...)
}

func (d *digester) blank(apart bool) {
	if apart && len(d.out) > 0 && d.out[len(d.out)-1] != ' ' {
		d.out = append(d.out, ' ')
	}
}

// shortened cuts a text of valid UTF-8 to limit bytes.
func shortened(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	cut := limit - len("...")
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "..."
}
