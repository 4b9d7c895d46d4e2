package recognition

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// The value that the paper prints (SipHash, appendix A).
func TestSipHash(t *testing.T) {
	var key, text []byte
	for i := range byte(16) {
		key = append(key, i)
	}
	for i := range byte(15) {
		text = append(text, i)
	}
	if got := sipHash(key, text); got != 0xa129ca6149be45e5 {
		t.Errorf("%x", got)
	}
}

func TestCanonical(t *testing.T) {
	for _, same := range [][]anonymize.Value{
		{anonymize.IntegerValue(7), anonymize.TextValue("7"), anonymize.TextValue(" 007 "), anonymize.DecimalValue("7.00"), anonymize.RealValue(7)},
		{anonymize.RealValue(-2.5), anonymize.TextValue("-2.50"), anonymize.DecimalValue("-2.500")},
		{anonymize.TextValue("Male"), anonymize.TextValue("male ")},
		{anonymize.IntegerValue(0), anonymize.TextValue("-0.0"), anonymize.TextValue("+0")},
		{anonymize.NullValue},
		{anonymize.TextValue("")},
		{anonymize.TextValue(".")},
		{anonymize.TextValue("1-2")},
	} {
		want := string(canonical(nil, same[0]))
		for _, v := range same[1:] {
			if got := string(canonical(nil, v)); got != want {
				t.Errorf("%v is %q, %v is %q", same[0], want, v, got)
			}
		}
		if same[0] != anonymize.TextValue("") && want == "" {
			t.Errorf("%v is nothing", same[0])
		}
	}
}

// A sample has exactly the combinations with the least hashes, with their counts.
func TestGatherer(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		size, domain := 1+random.IntN(40), 1+random.IntN(200)
		hashes, counts := make([]uint64, domain), make(map[uint64]uint32)
		for i := range hashes {
			hashes[i] = random.Uint64()
		}
		g := newGatherer(size)
		for range 5 * domain {
			hash := hashes[random.IntN(domain)]
			counts[hash]++
			if hash <= g.bound {
				g.add(hash, 1)
			}
		}
		s := g.finish([]int{0})
		least := 0
		for hash, n := range counts {
			if cell := hash >> s.shift; cell <= s.bound {
				least++
				for i, known := range s.cells {
					if known == cell && s.count[i]*uint32(s.times) != n {
						t.Fatalf("size %d of %d: a count is %d times %d, must be %d", size, len(counts), s.count[i], s.times, n)
					}
				}
			}
		}
		if least != len(s.cells) || least != min(size, len(counts)) {
			t.Fatalf("size %d: %d of %d combinations, %d are up to the bound", size, len(s.cells), len(counts), least)
		}
	}
}

// Row numbers are no values of persons; keys with gaps are.
func TestCounters(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	columns := map[string]func(i int) anonymize.Value{
		"number": func(i int) anonymize.Value { return anonymize.IntegerValue(int64(i) + 1000) },
		"label": func(i int) anonymize.Value {
			return anonymize.TextValue("P" + anonymize.IntegerValue(int64(i)+100000).String())
		},
		"card": func(int) anonymize.Value { return anonymize.IntegerValue(random.Int64N(1e9)) },
		"age":  func(int) anonymize.Value { return anonymize.IntegerValue(18 + random.Int64N(70)) },
		"name": func(i int) anonymize.Value {
			return anonymize.TextValue(anonymize.IntegerValue(int64(i)*7919%9973).String() + "x")
		},
		"salary":   func(int) anonymize.Value { return anonymize.IntegerValue(100 * random.Int64N(900)) },
		"constant": func(int) anonymize.Value { return anonymize.IntegerValue(1) },
	}
	for name, value := range columns {
		values := make([]anonymize.Value, 1000)
		for i := range values {
			values[i] = value(i)
		}
		c := newColumn(testKey, anonymize.NewColumn(name, "", values), true, false)
		if want := name == "number" || name == "label"; c.counter != want {
			t.Errorf("%s: counter is %v", name, c.counter)
		}
	}
}

// Different people with the same row numbers, in tables with the same sort order, are not taken for the same people.
func TestSortedRowNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	sorted := func() *dataset {
		d := &dataset{protects: "illness", quasi: []string{"q"}}
		var id, illness, q []anonymize.Value
		for i := range 3000 {
			id = append(id, anonymize.IntegerValue(int64(i)))
			illness = append(illness, anonymize.IntegerValue(int64(i/200)+random.Int64N(2)))
			q = append(q, anonymize.IntegerValue(random.Int64N(1e6)))
		}
		d.columns = []*anonymize.Column{anonymize.NewColumn("id", "", id), anonymize.NewColumn("illness", "", illness), anonymize.NewColumn("q", "", q)}
		return d
	}
	if found := compared(t, sketchOf(t, sorted()), sorted()); found.Share > 0 {
		t.Errorf("%+v", found)
	}
}

// Sketches with different keys have nothing in common. A sketch has an exact round trip.
func TestSketchCodec(t *testing.T) {
	d := people(300, 1)
	s, err := tableOf(t, d).Sketch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data := s.Encode()
	back, err := Decode(data)
	if err != nil || !bytes.Equal(back.Encode(), data) {
		t.Fatalf("%v", err)
	}
	other, err := NewTable(t.Context(), []byte("another key, 16+"), d.columns, d.quasi, []string{d.protects})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := other.Compare(t.Context(), s); err != nil || found.Share > 0 {
		t.Errorf("under another key: %+v, %v", found, err)
	}
	empty, err := NewTable(t.Context(), testKey, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if none, err := empty.Sketch(t.Context()); none != nil || err != nil {
		t.Errorf("of no column: %v, %v", none, err)
	}
}

// Damaged sketches are errors, or compare without harm.
func FuzzDecode(f *testing.F) {
	s, err := tableOf(f, people(40, 1)).Sketch(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	data := s.Encode()
	f.Add(data)
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		damaged := bytes.Clone(data)
		if at := random.IntN(len(data)); random.IntN(3) == 0 {
			damaged = damaged[:at]
		} else {
			damaged[at] ^= byte(1 + random.IntN(255))
		}
		f.Add(damaged)
	}
	table := tableOf(f, people(40, 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Decode(data)
		if err != nil {
			return
		}
		if found, err := table.Compare(t.Context(), s); err != nil || found.Share < 0 || found.Share > 1 {
			t.Errorf("%+v, %v", found, err)
		}
	})
}
