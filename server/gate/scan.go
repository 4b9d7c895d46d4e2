package gate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A kind is the kind of a token.
type kind uint8

const (
	end      kind = iota // of the text
	word                 // a name or a keyword
	variable             // @name, @@name, :name
	quoted               // a name in quotes
	text                 // a string
	number               // also hexadecimal and bit values
	sign                 // an operator or another character
	semicolon
	comma
	dot
	open    // ( { [
	close   // ) } ]
	tooMany // comments or strings, for which the tokenizer calls itself
)

// A scanner reads the tokens of a text as the parser's tokenizer does, which
// departs from MySQL's rules in places: -- and // begin a comment whatever
// follows, a /*! comment ends at the next */ even inside a string, @@ takes
// quotes into its name, a NUL behind a string begins another one. A difference
// would let an operator hide in what the gate takes for a string.
//
// Unlike that tokenizer it never calls itself, and it allocates nothing.
type scanner struct {
	text string
	at   int
	stop int // the end of what is read: that of the text, or of a /*! comment
	ansi bool
	// resume is where the text continues after a /*! comment, 0 outside one. outer is
	// the value of ansi before it.
	resume int
	outer  bool
	// account means that a name or string ended at an @.
	account bool
	// begun is false before the first token of the text or of a /*! comment.
	begun bool
	// The last token spans from to at.
	from int
	// most bounds the /*! comments before a token, and the strings that make up one
	// token.
	most, run int
}

func newScanner(text string, ansi bool, most int) scanner {
	return scanner{text: text, stop: len(text), ansi: ansi, most: most}
}

// next reads a token.
func (s *scanner) next() kind {
	account := s.account
	s.account, s.run = false, 0
	for {
		if s.run > s.most {
			return tooMany
		}
		s.blanks()
		s.from = s.at
		if s.at >= s.stop {
			if s.resume == 0 {
				return end
			}
			s.at, s.stop, s.ansi, s.resume = s.resume, len(s.text), s.outer, 0
			continue
		}
		if !s.comment() {
			break
		}
		account = false
	}
	return s.token(s.text[s.at], account)
}

// blanks skips white space, and one NUL.
func (s *scanner) blanks() {
	if s.begun && s.at < s.stop && s.text[s.at] == 0 {
		s.at++
	}
	s.begun = true
	for s.at < s.stop && isBlank(s.text[s.at]) {
		s.at++
	}
}

// comment skips a comment, or enters an executable one.
func (s *scanner) comment() bool {
	c := s.text[s.at]
	if c != '#' && c != '-' && c != '/' {
		return false
	}
	second := s.peek(1)
	switch {
	case c == '#', c == '-' && second == '-', c == '/' && second == '/':
		s.skipBehind("\n", s.at+1)
	case c == '/' && second == '*' && s.peek(2) == '!':
		s.special()
	case c == '/' && second == '*':
		s.skipBehind("*/", s.at+2)
	default:
		return false
	}
	return true
}

// skipBehind skips to after the next mark, or to the end.
func (s *scanner) skipBehind(mark string, from int) {
	s.at = s.stop
	if from >= s.stop {
		return
	}
	if n := strings.Index(s.text[from:s.stop], mark); n >= 0 {
		s.at = from + n + len(mark)
	}
}

// special enters a /*! comment, after its version of at most five digits. A nested one
// has no end of its own, since both end at the first */.
func (s *scanner) special() {
	s.run++
	from := s.at + len("/*!")
	n := strings.Index(s.text[min(from, s.stop):s.stop], "*/")
	if n < 0 {
		s.at = s.stop
		return
	}
	s.stop, s.resume, s.outer, s.ansi, s.begun = from+n, from+n+len("*/"), s.ansi, false, false
	s.at = from
	for digits := 0; digits < 5 && s.at < s.stop; digits++ {
		r, size := utf8.DecodeRuneInString(s.text[s.at:s.stop])
		if !unicode.IsDigit(r) {
			break
		}
		s.at += size
	}
	s.at = s.stop - len(strings.TrimLeftFunc(s.text[s.at:s.stop], unicode.IsSpace))
	s.stop = s.at + len(strings.TrimRightFunc(s.text[s.at:s.stop], unicode.IsSpace))
}

// peek returns the byte n places ahead, 0 after the end.
func (s *scanner) peek(n int) byte {
	if s.at+n < s.stop {
		return s.text[s.at+n]
	}
	return 0
}

func (s *scanner) token(c byte, account bool) kind {
	switch {
	case isLetter(c):
		if second := s.peek(1); second == '\'' && (c|0x20 == 'x' || c|0x20 == 'b') {
			return s.bits(c | 0x20)
		}
		return s.name()
	case isDigit(c), c == '.' && isDigit(s.peek(1)):
		return s.number()
	case c == '\'' || c == '"' && !s.ansi || c == 0:
		return s.str(c)
	case c == '`' || c == '"':
		return s.identifier(c)
	case c == '@':
		return s.variable(account)
	case c == ':':
		return s.colon()
	}
	return s.sign(c)
}

func (s *scanner) word(from int) {
	text := s.text[:s.stop]
	for from < len(text) && inName(text[from]) {
		from++
	}
	s.at = from
}

func (s *scanner) name() kind {
	s.word(s.at + 1)
	s.account = s.peek(0) == '@'
	return word
}

// bits reads x'4F' and b'01', up to the first byte that is not a digit of the base.
func (s *scanner) bits(base byte) kind {
	s.at += 2
	for s.at < s.stop && isDigitOf(s.text[s.at], base) {
		s.at++
	}
	if s.peek(0) == '\'' {
		s.at++
	}
	return number
}

func (s *scanner) digits() {
	for s.at < s.stop && isDigit(s.text[s.at]) {
		s.at++
	}
}

func (s *scanner) number() kind {
	whole := true
	switch {
	case s.text[s.at] == '0' && s.peek(1)|0x20 == 'x':
		s.at += 2
		for s.at < s.stop && isDigitOf(s.text[s.at], 'x') {
			s.at++
		}
	default:
		s.digits()
		if s.peek(0) == '.' {
			whole = false
			s.at++
			s.digits()
		}
		if s.peek(0)|0x20 == 'e' {
			s.at++
			if c := s.peek(0); c == '+' || c == '-' {
				s.at++
			}
			s.digits()
		}
	}
	if whole && s.at < s.stop && isLetter(s.text[s.at]) { // 1st is a name
		s.word(s.at)
		s.account = s.peek(0) == '@'
		return quoted
	}
	return number
}

// str reads a string and adjacent ones, which form one value.
func (s *scanner) str(quote byte) kind {
	for {
		s.at++
		if !s.escaped(quote) {
			return text
		}
		s.account = s.peek(0) == '@'
		for s.at < s.stop && isBlank(s.text[s.at]) {
			s.at++
		}
		if s.at >= s.stop {
			return text
		}
		if quote = s.text[s.at]; quote != '\'' && quote != 0 && (quote != '"' || s.ansi) {
			return text
		}
		s.account = false
		if s.run++; s.run >= s.most {
			return tooMany
		}
	}
}

// escaped reads to the end of a string. It returns false if there is none.
func (s *scanner) escaped(quote byte) bool {
	for s.at < s.stop {
		switch s.text[s.at] {
		case '\\':
			s.at += 2
			continue
		case quote:
			s.at++
			if s.peek(0) != quote || s.at >= s.stop {
				return true
			}
		}
		s.at++
	}
	s.at = s.stop
	return false
}

func (s *scanner) identifier(quote byte) kind {
	s.at++
	for s.at < s.stop {
		if s.text[s.at] == quote {
			s.at++
			if s.at >= s.stop || s.text[s.at] != quote {
				break
			}
		}
		s.at++
	}
	s.account = s.peek(0) == '@'
	return quoted
}

// variable reads @name, @@name, @`name`, and the @ between user and host.
func (s *scanner) variable(account bool) kind {
	s.at++
	if account {
		return sign
	}
	global := s.peek(0) == '@'
	if global {
		s.at++
	}
	for s.at < s.stop {
		if c := s.text[s.at]; !inName(c) && !(global && bytes[c]&caret != 0) {
			break
		}
		s.at++
	}
	if s.peek(0) == '`' {
		for s.at++; s.at < s.stop; s.at++ {
			c := s.text[s.at]
			if c == '`' {
				s.at++
				break
			}
			if bytes[c]&(letter|digit|caret|space) == 0 {
				break
			}
		}
	}
	s.account = s.peek(0) == '@'
	return variable
}

func (s *scanner) colon() kind {
	s.at++
	if s.peek(0) == ':' {
		s.at++
	}
	if s.at >= s.stop || !isLetter(s.text[s.at]) {
		if s.peek(0) == '=' {
			s.at++
		}
		return sign
	}
	for s.at < s.stop && (inName(s.text[s.at]) || s.text[s.at] == '.') {
		s.at++
	}
	return variable
}

// sign reads a character, or an operator of several.
func (s *scanner) sign(c byte) kind {
	s.at++
	switch c {
	case ',':
		return comma
	case ';':
		return semicolon
	case '.':
		return dot
	case '(', '{', '[':
		return open
	case ')', '}', ']':
		return close
	}
	second := s.peek(0)
	switch {
	case c == '&' && second == '&', c == '|' && second == '|', c == '!' && second == '=', c == '<' && (second == '>' || second == '<'),
		c == '>' && (second == '=' || second == '>'):
		s.at++
	case c == '-' && second == '>':
		s.at++
		if s.peek(0) == '>' {
			s.at++
		}
	case c == '<' && second == '=':
		s.at++
		if s.peek(0) == '>' {
			s.at++
		}
	}
	return sign
}

// Classes of bytes.
const (
	blank  = 1 << iota
	digit  // 0 to 9
	letter // of a name
	caret  // @@ takes it into a name
	space  // of Latin 1, which the tokenizer lets into @`a name`
)

// bytes holds the classes of each byte.
var bytes = func() (of [256]uint8) {
	for c := range of {
		switch b := byte(c); {
		case b-'0' < 10:
			of[c] |= digit
		case b|0x20-'a' < 26, b == '_':
			of[c] |= letter
		}
	}
	for _, c := range " \t\n\r" {
		of[c] |= blank
	}
	for _, c := range "\t\n\v\f\r \u0085\u00a0" {
		of[c] |= space
	}
	for _, c := range ".'\"`" {
		of[c] |= caret
	}
	return of
}()

func isBlank(c byte) bool  { return bytes[c]&blank != 0 }
func isDigit(c byte) bool  { return bytes[c]&digit != 0 }
func isLetter(c byte) bool { return bytes[c]&letter != 0 }
func inName(c byte) bool   { return bytes[c]&(letter|digit) != 0 }

// isDigitOf recognises digits of x'..' and b'..'.
func isDigitOf(c, base byte) bool {
	if base == 'b' {
		return c == '0' || c == '1'
	}
	return isDigit(c) || c|0x20-'a' < 6
}
