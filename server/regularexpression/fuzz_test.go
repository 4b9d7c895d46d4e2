package regularexpression

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// naive is the matcher that one writes first: it tries, and steps back. Patterns are
// characters, dots, alternatives, groups, * + and ?, all greedy.
type naive struct {
	pattern []rune
	at      int
}

// A step calls next with every place that it may end at, the preferred one first,
// until next is content.
type step func(text []rune, at int, next func(int) bool) bool

func (n *naive) alternatives() step {
	list := []step{n.sequence()}
	for n.at < len(n.pattern) && n.pattern[n.at] == '|' {
		n.at++
		list = append(list, n.sequence())
	}
	return func(text []rune, at int, next func(int) bool) bool {
		for _, s := range list {
			if s(text, at, next) {
				return true
			}
		}
		return false
	}
}

func (n *naive) sequence() step {
	whole := func(_ []rune, at int, next func(int) bool) bool { return next(at) }
	for n.at < len(n.pattern) && n.pattern[n.at] != '|' && n.pattern[n.at] != ')' {
		before, part := whole, n.repeated()
		whole = func(text []rune, at int, next func(int) bool) bool {
			return before(text, at, func(middle int) bool { return part(text, middle, next) })
		}
	}
	return whole
}

func (n *naive) repeated() step {
	part := n.one()
	if n.at >= len(n.pattern) {
		return part
	}
	sign := n.pattern[n.at]
	if sign != '*' && sign != '+' && sign != '?' {
		return part
	}
	n.at++
	var star step
	star = func(text []rune, at int, next func(int) bool) bool {
		return part(text, at, func(end int) bool { return end > at && star(text, end, next) }) || next(at)
	}
	switch sign {
	case '?':
		return func(text []rune, at int, next func(int) bool) bool { return part(text, at, next) || next(at) }
	case '+':
		return func(text []rune, at int, next func(int) bool) bool {
			return part(text, at, func(end int) bool { return star(text, end, next) })
		}
	}
	return star
}

func (n *naive) one() step {
	r := n.pattern[n.at]
	n.at++
	if r == '(' {
		inside := n.alternatives()
		n.at++
		return inside
	}
	return func(text []rune, at int, next func(int) bool) bool {
		return at < len(text) && (r == '.' || text[at] == r) && next(at+1)
	}
}

// first is the first match, in characters.
func (n *naive) first(text []rune) (from, to int, found bool) {
	whole := n.alternatives()
	for from := range len(text) + 1 {
		if whole(text, from, func(end int) bool { to = end; return true }) {
			return from, to, true
		}
	}
	return 0, 0, false
}

var simple = regexp.MustCompile(`^[ab.|()*+?]{1,12}$`)

// FuzzCompile: no pattern panics or exceeds a bound, and simple ones match like the naive matcher.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{"a", "(a|ab)(b|c)?", "(a|b)*ab", "a+b*?", "[[:alpha:]&&[^a]]", `\Qa\E{2,3}`, "(?i)É|(?x) # ", `\p{Lu}\x{41}\R$`, "(?<n>a)", "[", "a{1,2", `\`, "((a?)+)*", "[[:<:]]a", "(?)"} {
		f.Add(seed, "abba\r\n", uint8(0))
	}
	f.Fuzz(func(t *testing.T, pattern, text string, bits uint8) {
		if len(pattern) > 200 || len(text) > 100 {
			return
		}
		flags := Flags{bits&1 != 0, bits&2 != 0, bits&4 != 0, bits&8 != 0}
		p, err := Compile(pattern, flags)
		if err != nil {
			var own *Error
			if !errors.As(err, &own) || words[own.Number] == "" {
				t.Fatalf("%q: %v", pattern, err)
			}
			return
		}
		places, found, err := p.Find(context.Background(), text, 1, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if like, _ := p.Like(context.Background(), text); like != found {
			t.Fatalf("%q in %q: found %v, like %v", pattern, text, found, like)
		}
		if _, _, err := p.Replace(context.Background(), text, "<$0>", 1, 0, 1<<20); err != nil {
			t.Fatal(err)
		}
		if _, err := regexp.Compile(pattern); err != nil || flags != (Flags{}) || !simple.MatchString(pattern) || strings.ContainsAny(text, "\n\r\v\f\u0085\u2028\u2029") || !utf8.ValidString(text) || len(text) > 20 ||
			emptyLoop.MatchString(pattern) {
			return
		}
		from, to, naively := (&naive{pattern: []rune(pattern)}).first([]rune(text))
		if naively != found || found && (Position(text, places[0]) != int64(from)+1 || Position(text, places[1]) != int64(to)+1) {
			t.Fatalf("%q in %q: %v %v, naively %d to %d, %v", pattern, text, places, found, from, to, naively)
		}
	})
}

// emptyLoop: lazy and possessive signs, and repeats of repeats, whose empty rounds
// matchers count differently.
var emptyLoop = regexp.MustCompile(`[*+?][*+?]`)
