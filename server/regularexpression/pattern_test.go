package regularexpression

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
)

var (
	ignoring = Flags{IgnoreCase: true}
	lines    = Flags{Multiline: true}
	all      = Flags{DotAll: true}
	unix     = Flags{UnixLines: true}
)

// matches are the places of all matches, as characters from 1, end exclusive.
func matches(t *testing.T, pattern, text string, flags Flags) string {
	t.Helper()
	p, err := Compile(pattern, flags)
	if err != nil {
		return err.Error()
	}
	var out []string
	for n := int64(1); ; n++ {
		places, found, err := p.Find(context.Background(), text, 1, n, p.Groups())
		if err != nil {
			t.Fatal(err)
		}
		if like, err := p.Like(context.Background(), text); err != nil || n == 1 && like != found {
			t.Errorf("%q in %q: found %v, like %v, %v", pattern, text, found, like, err)
		}
		if !found {
			return strings.Join(out, " ")
		}
		out = append(out, fmt.Sprintf("%d-%d", Position(text, places[0]), Position(text, places[1])))
	}
}

// ICU's answers, from the engine's WebAssembly.
func TestMatchesAsICU(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		flags         Flags
		want          string
	}{
		{"b", "abcb", Flags{}, "2-3 4-5"}, {"a|ab", "ab", Flags{}, "1-2"}, {"ab|a", "ab", Flags{}, "1-3"}, {"x*", "abxc", Flags{}, "1-1 2-2 3-4 4-4 5-5"},
		{"a*?", "aa", Flags{}, "1-1 2-2 3-3"}, {"a+?b", "aab", Flags{}, "1-4"}, {"a{2}", "aaaaa", Flags{}, "1-3 3-5"}, {"a{2,}", "aaaaa", Flags{}, "1-6"}, {"a{0,1}b", "aab", Flags{}, "2-4"},
		{"", "a", Flags{}, "Illegal argument to a regular expression: the pattern is empty; leave the condition out, or write '^'"},
		// Lines.
		{"a$", "a\n", Flags{}, "1-2"}, {"a$", "a\r\n", Flags{}, "1-2"}, {"a$", "a\u2028", Flags{}, "1-2"}, {"a$", "a\nb", Flags{}, ""}, {"a$", "a\r", unix, ""}, {"a\\Z", "a\r", unix, "1-2"}, {"a\\z", "a\n", Flags{}, ""},
		{"^", "a\nb\n", lines, "1-1 3-3"}, {"$", "a\nb\n", lines, "2-2 4-4 5-5"}, {"$", "a\r\nb", lines, "2-2 5-5"}, {"^.", "a\rb", lines, "1-2 3-4"}, {"^.", "a\rb", Flags{Multiline: true, UnixLines: true}, "1-2"},
		{".", "a\n\r\v\u0085\u2028b", Flags{}, "1-2 7-8"}, {".", "a\r\n", unix, "1-2 2-3"}, {".", "a\r\nb", all, "1-2 2-4 4-5"}, {"\\R", "\r\n\n\v", Flags{}, "1-3 3-4 4-5"}, {"\\R\\n", "\r\n", Flags{}, ""},
		{"(?s).", "\n", Flags{}, "1-2"}, {"(?m)^b", "a\nb", Flags{}, "3-4"}, {"(?m:^b)|^c", "a\nb\nc", Flags{}, "3-4"}, {"(?-s).", "\n", all, ""},
		// Case.
		{"É", "éÉ", ignoring, "1-2 2-3"}, {"[a-c]", "B", ignoring, "1-2"}, {"[^a-c]", "Bd", ignoring, "2-3"}, {"k", "K\u212a", ignoring, "1-2 2-3"}, {"[k]", "\u212a", ignoring, "1-2"}, {"a(?i)b|c", "aBC", Flags{}, "1-3 3-4"},
		{"(?i:a)b", "AbAB", Flags{}, "1-3"}, {"\\p{Lu}", "aB", ignoring, "1-2 2-3"}, {"\\P{Lu}", "aB1", ignoring, "3-4"}, {"[[:upper:]]", "aB", ignoring, "1-2 2-3"},
		// Words, with letters of all scripts and extending characters.
		{"\\b", "ab é_1!", Flags{}, "1-1 3-3 4-4 7-7"}, {"\\B", "ab", Flags{}, "2-2"}, {"\\bller", "müller", Flags{}, ""}, {"\\b", "e\u0301a", Flags{}, "1-1 4-4"}, {"\\w+", "né-ого 1", Flags{}, "1-3 4-7 8-9"},
		// Classes.
		{"[[:alpha:]]+", "aé1", Flags{}, "1-3"}, {"[^[:alpha:]]", "aé1", Flags{}, "3-4"}, {"[[:^digit:]]", "a1", Flags{}, "1-2"}, {"\\d", "1٣", Flags{}, "1-2 2-3"}, {"\\h", "\t\u00a0\n", Flags{}, "1-2 2-3"}, {"\\v", "\n\u2029 ", Flags{}, "1-2 2-3"},
		{"[]a]", "]a", Flags{}, "1-2 2-3"}, {"[^]a]", "]ab", Flags{}, "3-4"}, {"[a-]", "a-", Flags{}, "1-2 2-3"}, {"[-a]", "a-", Flags{}, "1-2 2-3"}, {"[a\\]]", "]", Flags{}, "1-2"}, {"[\\w-]+", "a-b c", Flags{}, "1-4 5-6"},
		{"[a-z&&[^aeiou]]", "ab", Flags{}, "2-3"}, {"[a-z--[b]]", "ab", Flags{}, "1-2"}, {"[a[bc]]", "cd", Flags{}, "1-2"}, {"\\p{Greek}\\p{L}", "αb", Flags{}, "1-3"}, {"\\p{script=Latin}", "a", Flags{}, "1-2"}, {"\\P{Letter}", "a1", Flags{}, "2-3"},
		{"[.$^*]", "$", Flags{}, "1-2"}, {"[[:alpha:]_]", "_", Flags{}, "1-2"}, {"[:alpha:]", "a", Flags{}, "1-2"},
		// Escapes and quotes.
		{"\\x41\\x{42}\\u0043\\0104", "ABCD", Flags{}, "1-5"}, {"\\cA", "\x01", Flags{}, "1-2"}, {"\\q\\_\\.", "q_.", Flags{}, "1-4"}, {"\\Qa.*\\Eb", "a.*b", Flags{}, "1-5"}, {"\\Qab\\E+", "abb", Flags{}, "1-4"}, {"\\t\\n\\e\\a\\f", "\t\n\x1b\a\f", Flags{}, "1-6"},
		{"a(?#more)*b", "aab", Flags{}, "1-4"}, {"(?x) a b # c\n c", "abc", Flags{}, "1-4"}, {"(?x)[a b]", "b", Flags{}, "1-2"},
		{"()|a", "a", Flags{}, "1-1 2-2"}, {"^*a", "a", Flags{}, "1-2"}, {"(a|b)*c|(a|ab)*c", "abc", Flags{}, "1-4"},
		// MySQL 5.7's and MariaDB's.
		{"[[:<:]]a", "ba a", Flags{}, "4-5"}, {"a[[:>:]]", "ab a", Flags{}, "4-5"}, {"[[:<:]]\\.", "a.", Flags{}, ""},
		// Bytes that are no UTF-8 are characters of their own.
		{"b", "\xffb", Flags{}, "2-3"}, {".", "\xff\xfe", Flags{}, "1-2 2-3"}, {"\\w", "\xff", Flags{}, ""},
	} {
		if got := matches(t, c.pattern, c.text, c.flags); got != c.want {
			t.Errorf("%q in %q with %+v: %s, want %s", c.pattern, c.text, c.flags, got, c.want)
		}
	}
}

// An error names the construct, its position and a way out.
func TestErrorsNameTheConstruct(t *testing.T) {
	for _, c := range []struct {
		pattern string
		number  int
		names   []string
	}{
		{"ab(?=c)", Unimplemented, []string{"look-ahead (?=", "line 1, character 3", "x REGEXP 'a' AND"}}, {"(?!a)", Unimplemented, []string{"negative look-ahead"}},
		{"(?<=a)", Unimplemented, []string{"look-behind", "REGEXP_REPLACE"}}, {"(?<!a)", Unimplemented, []string{"negative look-behind"}}, {"(?>a)", Unimplemented, []string{"atomic group", "(?:"}},
		{"(a)\n\\1", Unimplemented, []string{"back reference \\1", "line 2, character 1"}}, {"(?<n>a)\\k<n>", Unimplemented, []string{"\\k"}}, {"a*+", Unimplemented, []string{"possessive quantifier *+", "character 2"}}, {"a{2}+", Unimplemented, []string{"{2}+"}},
		{"\\X", Unimplemented, []string{"\\P{M}\\p{M}*"}}, {"\\N{DASH}", Unimplemented, []string{"\\x{...}"}}, {"\\G", Unimplemented, []string{"position"}}, {"(?w)a", Unimplemented, []string{"flag w"}}, {"(?{})", Unimplemented, []string{"code"}},
		{"a**", RuleSyntax, []string{"line 1, character 3", `"*" repeats nothing`}}, {"+", RuleSyntax, []string{"character 1"}}, {"a|*", RuleSyntax, []string{"character 3"}}, {"\\b+", RuleSyntax, []string{"character 3"}}, {"{2}", RuleSyntax, []string{`"{"`}},
		{"(a", MismatchedParen, []string{"character 1"}}, {"é)", MismatchedParen, []string{"character 2"}}, {"(?#a", MismatchedParen, nil}, {"(?:a", MismatchedParen, nil},
		{"a{}", BadInterval, []string{"character 2"}}, {"a{,3}", BadInterval, nil}, {"a{1", BadInterval, nil}, {"a{1,x}", BadInterval, nil}, {"a{3,2}", MaxLessThanMin, []string{"{3,2}"}}, {"\\1", InvalidReference, []string{"group 1"}},
		{"a[", MissingBracket, []string{"character 2"}}, {"[a&&]", MissingBracket, nil}, {"[]", MissingBracket, nil}, {"[b-a]", InvalidRange, []string{"b-a"}}, {"[a-\\d]", InvalidRange, nil}, {"\\", BadEscape, []string{"in a string literal"}}, {"\\x{110000}", BadEscape, nil}, {"\\u12", BadEscape, nil}, {"\\xg", BadEscape, nil},
		{"[[:wrong:]]", IllegalArgument, []string{"[:wrong:]", "alpha"}}, {"\\p{wrong}", IllegalArgument, []string{"'wrong'"}}, {"\\pL", IllegalArgument, nil}, {"a\xff", IllegalArgument, []string{"UTF-8", "character 2"}},
		{"(?<1>a)", InvalidGroupName, nil}, {"(?<n>a)(?<n>b)", InvalidGroupName, []string{"n"}}, {"(?y)a", InvalidFlag, []string{"y"}}, {"(?-", InvalidFlag, nil},
		{strings.Repeat("a", MaxPattern+1), TooBig, []string{"32769 bytes"}}, {"(a{1000}){21}", TooBig, []string{"20000 steps"}}, {"a{99999999999999999999}", TooBig, nil}, {strings.Repeat("(", MaxNesting+1), TooBig, []string{"levels"}},
		{strings.Repeat("[", MaxNesting+1), TooBig, nil}, {strings.Repeat("\\w", MaxPattern/2), TooBig, []string{"ranges"}}, {"((((a{100}){100}){100}){100}){100}", TooBig, nil},
	} {
		_, err := Compile(c.pattern, Flags{})
		var own *Error
		if !errors.As(err, &own) || own.Number != c.number || !strings.HasPrefix(own.Message, words[c.number]) {
			t.Errorf("%.60q: %v, want number %d", c.pattern, err, c.number)
			continue
		}
		for _, part := range c.names {
			if !strings.Contains(own.Message, part) {
				t.Errorf("%.60q: %s\nlacks %q", c.pattern, own.Message, part)
			}
		}
	}
}

func TestReplace(t *testing.T) {
	for _, c := range []struct {
		pattern, text, replacement string
		position, occurrence       int64
		want                       string
	}{
		{"a", "banana", "o", 1, 0, "bonono"}, {"a", "banana", "o", 3, 0, "banono"}, {"a", "banana", "o", 1, 2, "banona"}, {"a", "banana", "o", 1, -1, "bonana"}, {"a", "banana", "o", 1, 9, "banana"},
		{"(a)(n)?", "banana", "<$2$1>", 1, 0, "b<na><na><a>"}, {"(?<x>a)", "a", "${x}${x}", 1, 1, "aa"}, {"a", "a", `\$\\$0`, 1, 1, `$\a`}, {"a", "a", `\u0062`, 1, 1, "b"}, {"", "a", "-", 1, 0, "Illegal"},
		{"(a)", "a", "$12", 1, 0, "a2"}, {"^", "ab", "-", 1, 0, "-ab"}, {"é*", "éa", "x", 1, 0, "xxax"}, {"a", "a", "$1", 1, 0, "Index out of bounds"}, {"a", "a", "$", 1, 0, "A capture group has an invalid name"}, {"a", "a", "${y}", 1, 0, "A capture group"},
	} {
		got := ""
		p, err := Compile(c.pattern, Flags{})
		if err == nil {
			got, _, err = p.Replace(context.Background(), c.text, c.replacement, c.position, c.occurrence, 1<<20)
		}
		if err != nil && !strings.HasPrefix(err.Error(), c.want) || err == nil && got != c.want {
			t.Errorf("%q in %q by %q: %q, %v, want %q", c.pattern, c.text, c.replacement, got, err, c.want)
		}
	}
	p, err := Compile("a", Flags{})
	if err != nil {
		t.Fatal(err)
	}
	for most, fits := range map[int]bool{299: false, 300: true} {
		if _, ok, err := p.Replace(context.Background(), strings.Repeat("a", 100), "xyz", 1, 0, most); ok != fits || err != nil {
			t.Errorf("300 bytes of at most %d: fits is %v, %v", most, ok, err)
		}
	}
}

// The number of steps is linear in the text. A backtracking matcher needs 2^n steps: 200,000 characters would take
// forever.
func TestLinear(t *testing.T) {
	text := strings.Repeat("a", 200_000) + "!"
	for _, pattern := range []string{"^(a|a)*$", "^(a+)+$", "(a*)*b", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", "(.*)(.*)(.*)=(.*)"} {
		p, err := Compile(pattern, Flags{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		if found, err := p.Like(ctx, text); found || err != nil {
			t.Errorf("%s: %v, %v", pattern, found, err)
		}
		stop()
	}
}

func TestMatchEndsWithItsContext(t *testing.T) {
	p, err := Compile("(?:a?){6000}b", Flags{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Like(ctx, strings.Repeat("a", 1<<20)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if found, err := p.Like(context.Background(), strings.Repeat("a", 20)+"b"); !found || err != nil {
		t.Errorf("the pattern after that: %v, %v", found, err)
	}
}

// One pattern serves several goroutines.
func TestPatternAtOnce(t *testing.T) {
	p, err := Compile("(a+)(b+)", Flags{})
	if err != nil {
		t.Fatal(err)
	}
	failures := make(chan string, 8)
	for i := range 8 {
		go func() {
			text := strings.Repeat("x", i) + "aabb"
			for range 500 {
				places, _, err := p.Match(context.Background(), text, 0, 2)
				if err != nil || fmt.Sprint(places) != fmt.Sprint([]int{i, i + 4, i, i + 2, i + 2, i + 4}) {
					failures <- fmt.Sprint(places, err)
					return
				}
			}
			failures <- ""
		}()
	}
	for range 8 {
		if failure := <-failures; failure != "" {
			t.Error(failure)
		}
	}
}

func TestSetsFold(t *testing.T) {
	for _, s := range []set{{'a', 'z'}, {'k', 'k'}, {0x370, 0x3ff}, {0x1e00, 0x1eff}, {'0', '9'}, {0, unicode.MaxRune}} {
		folded := s.folded()
		for r := rune(0); r <= 0x1ffff; r++ {
			want := s.has(r)
			for other := unicode.SimpleFold(r); other != r && !want; other = unicode.SimpleFold(other) {
				want = s.has(other)
			}
			if folded.has(r) != want {
				t.Fatalf("%q of %v: %v, want %v", r, s, folded.has(r), want)
			}
		}
	}
}
