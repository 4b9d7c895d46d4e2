package anonymize

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// closeTo is the definition, of numbers x <= y: at most w apart, or within w percent of the one nearer to 0.
func closeTo(x, y, w int64, relative bool) bool {
	if !relative {
		return y-x <= w
	}
	if x == 0 || y == 0 || (x < 0) != (y < 0) {
		return x == y
	}
	return 100*(y-x) <= w*min(max(x, -x), max(y, -y))
}

// drawNumbers is a column of numbers, some below 0, and NULL, with how often each is drawn.
func drawNumbers(random *rand.Rand) *Column {
	var values []Value
	for range 1 + random.IntN(25) {
		switch random.IntN(8) {
		case 0:
			values = append(values, NullValue)
		case 1:
			values = append(values, IntegerValue(0))
		default:
			values = append(values, IntegerValue(int64(random.IntN(90)-30)))
		}
	}
	return NewColumn("wage", "int", values)
}

// The greatest number of close records equals the one found by comparing every record with all others, in random tables.
func TestMostIsThatOfEveryInterval(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	for range 2000 {
		c, w, relative := drawNumbers(random), int64(1+random.IntN(25)), random.IntN(2) == 0
		p := Promise{Guarantee: LThreshold, Threshold: NewRatio(uint64(w), 1), Relative: relative}
		if relative {
			p.Threshold = NewRatio(uint64(w), 100)
		}
		want := 0
		for _, a := range c.Codes {
			near := 0
			for _, b := range c.Codes {
				x, y := c.Dictionary[a], c.Dictionary[b]
				if a == b || !x.IsNull() && !y.IsNull() && x.Int <= y.Int && closeTo(x.Int, y.Int, w, relative) {
					near++
				}
			}
			want = max(want, near)
		}
		close, records := p.Closeness(c.Dictionary), c.Histogram()
		codes := random.Perm(len(c.Dictionary))
		any := make([]uint32, len(codes))
		for i, code := range codes {
			any[i] = uint32(code)
		}
		most := close.LargestSet(any, func(i int) uint64 { return uint64(records[any[i]]) })
		if int(most.Records) != want {
			t.Fatalf("width %d, relative %v: %d of %v count as one (%s), want %d", w, relative, most.Records, c.Dictionary, most.Describe("wage"), want)
		}
		for i, x := range c.Dictionary {
			for j, y := range c.Dictionary[i+1:] {
				if classes := close.Classes(c); classes[i] == classes[i+1+j] && !closeTo(x.Int, y.Int, w, relative) {
					t.Fatalf("width %d, relative %v: %v and %v are of one class", w, relative, x, y)
				}
			}
		}
	}
}

// Cells that share a code count as one, whatever else they hold.
func TestMostIsThatOfEveryCode(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	for range 1000 {
		var values []Value
		with := map[int]int{}
		for range 1 + random.IntN(20) {
			codes := random.Perm(7)[:1+random.IntN(3)]
			var texts []string
			for _, code := range codes {
				with[code]++
				texts = append(texts, []string{" %c", "%c ", "%c", "%c;"}[random.IntN(4)])
				texts[len(texts)-1] = fmt.Sprintf(texts[len(texts)-1], "abcdefg"[code]-byte(32*random.IntN(2)))
			}
			values = append(values, TextValue(strings.Join(texts, ";")))
		}
		c := NewColumn("codes", "text", values)
		close, records := (&Promise{Guarantee: LSets, Separator: ";"}).Closeness(c.Dictionary), c.Histogram()
		all, want := Indices(len(records)), 0
		for _, n := range with {
			want = max(want, n)
		}
		if most := close.LargestSet(all, func(i int) uint64 { return uint64(records[i]) }); int(most.Records) != want {
			t.Fatalf("%v: %d of one code, want %d", values, most.Records, want)
		}
		for i, a := range close.codes {
			for j, b := range close.codes {
				if classes := close.Classes(c); classes[i] == classes[j] && !slices.ContainsFunc(a, func(code uint32) bool { return slices.Contains(b, code) }) {
					t.Fatalf("%v and %v are of one class and share no code", c.Dictionary[i], c.Dictionary[j])
				}
			}
		}
	}
}

// A cell without any code is an empty one, however many separators it has.
func TestCellsWithoutCodes(t *testing.T) {
	c := NewColumn("codes", "text", []Value{TextValue("a;b"), TextValue(";"), TextValue(""), TextValue(" ; ;"), TextValue("b")})
	close := (&Promise{Guarantee: LSets, Separator: ";"}).Closeness(c.Dictionary)
	of := map[string]uint32{}
	for code, class := range close.Classes(c) {
		of[c.Dictionary[code].Text] = class
	}
	if of[""] != of[";"] || of[""] != of[" ; ;"] || of["b"] != of["a;b"] || of[""] == of["b"] {
		t.Errorf("classes %v", of)
	}
	if most := close.LargestSet(c.Codes, func(int) uint64 { return 1 }); most.Records != 3 {
		t.Errorf("%d cells without codes count as one, want 3", most.Records)
	}
}

func TestWidths(t *testing.T) {
	for text, want := range map[string]string{"0": "0", "600": "600", "0.5": "0.5", "1%": "1%", " 2.5 % ": "2.5%", "1/3%": "1/3%", "1e1%": "10%"} {
		m := Method{Parameters: Declare(Threshold)}
		s, err := m.Resolve(Arguments{"threshold": text})
		if err != nil || Threshold.Read(s).String() != want {
			t.Errorf("%q: %v, %v, want %s", text, Threshold.Read(s), err, want)
		}
	}
	for _, text := range []string{"-1", "-1%", "%", "near", "1%%"} {
		if _, err := (Method{Parameters: Declare(Threshold)}).Resolve(Arguments{"threshold": text}); !errors.As(err, new(*ParameterError)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Exact where floats are not: .1 + .2 is .3, and of 60,000 a hundredth is 600.
func TestClosenessIsExact(t *testing.T) {
	for _, c := range []struct {
		width  Width
		values []Value
		want   uint64
	}{
		{Width{MustRatio("0.2"), false}, []Value{DecimalValue("0.1"), DecimalValue("0.3")}, 2},
		{Width{MustRatio("0.2"), false}, []Value{DecimalValue("0.1"), DecimalValue("0.30001")}, 1},
		{Width{MustRatio("0.01"), true}, []Value{IntegerValue(60000), IntegerValue(60600)}, 2},
		{Width{MustRatio("0.01"), true}, []Value{IntegerValue(60000), IntegerValue(60601)}, 1},
		{Width{MustRatio("0.01"), true}, []Value{IntegerValue(-60600), IntegerValue(-60000)}, 2},
		{Width{MustRatio("0.01"), true}, []Value{IntegerValue(-60601), IntegerValue(-60000)}, 1},
		{Width{MustRatio("1"), true}, []Value{IntegerValue(-1), IntegerValue(0), IntegerValue(1)}, 1},
		{Width{MustRatio("1"), false}, []Value{NullValue, IntegerValue(0)}, 1},
		{Width{MustRatio("7"), false}, []Value{InstantValue(0), InstantValue(7 * microsecondsOfDay)}, 2},
		{Width{MustRatio("7"), false}, []Value{InstantValue(0), InstantValue(7*microsecondsOfDay + 1)}, 1},
	} {
		close := closeNumbers(c.values, c.width)
		if most := close.LargestSet([]uint32{0, 1, 2}[:len(c.values)], func(int) uint64 { return 1 }); most.Records != c.want {
			t.Errorf("%v within %v: %d, want %d", c.values, c.width, most.Records, c.want)
		}
	}
}
