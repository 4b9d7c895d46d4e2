package regularexpression

import (
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"
)

// Bounds of a pattern; exceeding one is error 3700.
const (
	MaxPattern = 32 << 10 // bytes
	MaxProgram = 20_000   // instructions, with repeats expanded
	MaxNesting = 250      // levels of parentheses or brackets
	maxRanges  = 400_000  // of all character classes of a pattern
)

// Flags are the initial flags of a pattern; (?i) and similar change them inside it.
type Flags struct {
	IgnoreCase bool // i
	Multiline  bool // m: ^ and $ match at every line
	DotAll     bool // n: the dot matches line terminators
	UnixLines  bool // u: only \n ends a line
}

// MatchType applies MySQL's match_type to the case rule of the collation. Of c and i the last one counts. Another
// letter is error 1210.
func MatchType(letters string, ignoreCase bool, function string) (Flags, error) {
	flags := Flags{IgnoreCase: ignoreCase}
	for _, letter := range letters {
		switch letter {
		case 'c':
			flags.IgnoreCase = false
		case 'i':
			flags.IgnoreCase = true
		case 'm':
			flags.Multiline = true
		case 'n':
			flags.DotAll = true
		case 'u':
			flags.UnixLines = true
		default:
			return Flags{}, &Error{WrongArguments, "Incorrect arguments to " + function + ": match_type is '" + letters +
				"', must consist of the letters c, i, m, n and u"}
		}
	}
	return flags, nil
}

// A Pattern is a compiled regular expression. It is safe for concurrent use.
type Pattern struct {
	program  *syntax.Prog
	groups   int
	names    map[string]int
	unix     bool
	anchored bool
	// prefix is the text that every match begins with.
	prefix string
	idle   sync.Pool // of *machine
}

// Compile compiles a text in ICU's syntax. Its error is an *Error.
func Compile(text string, flags Flags) (*Pattern, error) {
	switch {
	case text == "":
		return nil, wrong(IllegalArgument, "the pattern is empty; leave the condition out, or write '^'")
	case len(text) > MaxPattern:
		return nil, wrong(TooBig, "it has %d bytes, at most %d are allowed; use IN, LIKE or a join with a table of values", len(text), MaxPattern)
	case !utf8.ValidString(text):
		return nil, wrong(IllegalArgument, "the pattern is not valid UTF-8 %s", place(text, invalidAt(text)))
	}
	p := &parser{
		text:  text,
		names: map[string]int{},
		flags: scope{ignoreCase: flags.IgnoreCase, multiline: flags.Multiline, dotAll: flags.DotAll},
		unix:  flags.UnixLines,
	}
	tree, err := p.all()
	if err != nil {
		return nil, err
	}
	if size(tree) > MaxProgram {
		return nil, wrong(TooBig, "with its repeats written out it has more than %d steps; use smaller numbers in {min,max}", MaxProgram)
	}
	program, failed := syntax.Compile(tree.Simplify())
	if failed != nil {
		return nil, wrong(TooBig, "%v", failed)
	}
	compiled := &Pattern{program: program, groups: p.groups, names: p.names, unix: flags.UnixLines}
	compiled.anchored, compiled.prefix = beginning(program)
	compiled.idle.New = func() any { return newMachine(compiled) }
	return compiled, nil
}

func invalidAt(text string) int {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return i
		}
	}
	return 0
}

// size returns the number of instructions of a tree, at most MaxProgram + 1.
func size(t *syntax.Regexp) int {
	n := 0
	for _, sub := range t.Sub {
		n = min(n+size(sub), MaxProgram+1)
	}
	switch t.Op {
	case syntax.OpLiteral:
		n = len(t.Rune)
	case syntax.OpAlternate:
		n += len(t.Sub) - 1
	case syntax.OpCapture:
		n += 2
	case syntax.OpRepeat:
		if t.Max < 0 {
			n = max(t.Min, 1)*n + 1
		} else {
			n = t.Min*n + (t.Max-t.Min)*(n+1)
		}
	case syntax.OpConcat:
	default:
		n++
	}
	return min(max(n, 1), MaxProgram+1)
}

// beginning returns whether the pattern begins with \A, and the literal prefix of every match.
func beginning(program *syntax.Prog) (anchored bool, prefix string) {
	var out strings.Builder
	for at := program.Start; ; {
		in := &program.Inst[at]
		switch {
		case in.Op == syntax.InstNop || in.Op == syntax.InstCapture:
		case in.Op == syntax.InstRune1 && in.Rune[0] == atTextStart && out.Len() == 0:
			anchored = true
		case in.Op == syntax.InstRune1 && in.Rune[0] < firstAssertion && in.Rune[0] != utf8.RuneError:
			out.WriteRune(in.Rune[0])
		default:
			return anchored, out.String()
		}
		at = int(in.Out)
	}
}
