package gate

import "iter"

// A Token is the piece [From, To) of a text.
type Token struct {
	Kind     Kind
	From, To int
}

// A Kind is the kind of a Token.
type Kind uint8

// The kinds of tokens that a rewriter of texts looks at: a name or a keyword without
// quotes, @name, a quoted name, a string, a number, an operator or any other character,
// one character of punctuation, or anything else.
const (
	Other Kind = iota
	Word
	Variable
	Quoted
	Text
	Number
	Sign
	Comma
	Dot
	Semicolon
	Open
	Close
)

var kinds = map[kind]Kind{word: Word, variable: Variable, quoted: Quoted, text: Text, number: Number, sign: Sign,
	comma: Comma, dot: Dot, semicolon: Semicolon, open: Open, close: Close}

// Tokens yields the tokens of a text that has passed, in order. It omits comments, but
// not the contents of /*! comments.
func Tokens(text string, ansi bool) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		s := newScanner(text, ansi, len(text))
		for k := s.next(); k != end && k != tooMany && yield(Token{kinds[k], s.from, s.at}); k = s.next() {
		}
	}
}

// Statements calls visit with the tokens of each statement of a text, up to the next
// semicolon outside of strings, names and comments, until it returns false. A statement
// of more than most tokens has none. The tokens are valid until visit returns. Time is
// linear in what is read.
func Statements(query string, ansi bool, most int, visit func([]Token) bool) {
	s := newScanner(query, ansi, most)
	var tokens []Token
	more := false
	for {
		k := s.next()
		switch {
		case k == semicolon, k == end, k == tooMany:
			if more {
				tokens = nil
			}
			if !visit(tokens) || k != semicolon {
				return
			}
			tokens, more = tokens[:0], false
		case len(tokens) >= most:
			more = true
		default:
			tokens = append(tokens, Token{kinds[k], s.from, s.at})
		}
	}
}
