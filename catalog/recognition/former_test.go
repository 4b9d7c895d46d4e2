package recognition

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// peopleTable makes n people with the given numbers of different values of their
// attributes.
func peopleTable(random *rand.Rand, n int, domains ...int) []*anonymize.Column {
	columns := make([]*anonymize.Column, len(domains))
	for i, domain := range domains {
		values := make([]anonymize.Value, n)
		for row := range values {
			// Skewed, as attributes of people are.
			values[row] = anonymize.TextValue(fmt.Sprintf("%d of column %d", int(float64(domain)*math.Pow(random.Float64(), 1.7)), i))
		}
		columns[i] = anonymize.NewColumn(fmt.Sprint("c", i), "text", values)
	}
	return columns
}

// rowsOf selects rows, columns (all for nil) and new names.
func rowsOf(columns []*anonymize.Column, rows []int, wanted ...int) []*anonymize.Column {
	if wanted == nil {
		for i := range columns {
			wanted = append(wanted, i)
		}
	}
	var selected []*anonymize.Column
	for at, i := range wanted {
		values := make([]anonymize.Value, len(rows))
		for j, row := range rows {
			values[j] = columns[i].Value(row)
		}
		selected = append(selected, anonymize.NewColumn(fmt.Sprint("renamed", at), "varchar(40)", values))
	}
	return selected
}

func formerOf(t testing.TB, key []byte, columns []*anonymize.Column) Former {
	s, err := NewFormer(context.Background(), key, columns)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func stretch(first, end int) []int {
	var rows []int
	for i := first; i < end; i++ {
		rows = append(rows, i)
	}
	return rows
}

// stacked puts two tables of the same columns below each other.
func stacked(a, b []*anonymize.Column) []*anonymize.Column {
	var both []*anonymize.Column
	for i := range a {
		var values []anonymize.Value
		for _, part := range []*anonymize.Column{a[i], b[i]} {
			for row := range part.Codes {
				values = append(values, part.Value(row))
			}
		}
		both = append(both, anonymize.NewColumn(a[i].Name, a[i].Type, values))
	}
	return both
}

// Copies are known again: whole ones whatever their columns are, parts and
// mixtures where the columns tell most records apart.
func TestSketchKnowsCopies(t *testing.T) {
	key := []byte("key")
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{200, 400, 20_000} {
		original := peopleTable(random, n, 80, 70, 60, 50, 40, 30)
		stranger := peopleTable(random, n, 80, 70, 60, 50, 40, 30)
		known := formerOf(t, key, original)
		decoded, err := DecodeFormer(known.Encode())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name string
			copy []*anonymize.Column
			want float64
		}{
			{"whole", original, 1},
			{"whole, other order and names", rowsOf(original, random.Perm(n), 5, 3, 0, 1, 2, 4), 1},
			{"whole, three columns", rowsOf(original, stretch(0, n), 4, 2, 1), 1},
			{"whole, two columns", rowsOf(original, stretch(0, n), 4, 2), 1},
			{"half", rowsOf(original, stretch(0, n/2)), 1},
			{"half, five columns", rowsOf(original, stretch(0, n/2), 5, 4, 3, 2, 1), 1},
			{"a third, and strangers", stacked(rowsOf(original, stretch(0, n/3)), rowsOf(stranger, stretch(n/3, n))), 1. / 3},
			{"half, and as many again", stacked(rowsOf(original, stretch(0, n)), rowsOf(stranger, stretch(0, n))), 1},
		} {
			got := formerOf(t, key, c.copy).Overlap(decoded)
			if math.Abs(got-c.want) > 0.12 { // 5 standard errors at 400 compared records and more
				t.Errorf("%d records, %s: %.3f, want %.2f", n, c.name, got, c.want)
			}
		}
		if got := formerOf(t, []byte("another"), original).Overlap(decoded); got > 0 {
			t.Errorf("under another key: %g", got)
		}
	}
}

// Independent tables are not taken for copies, whether their columns tell records
// apart or not: false positives over 300 pairs of tables of many shapes.
func TestSketchOfIndependentTables(t *testing.T) {
	key := []byte("key")
	most, pairs, seeds := 0.0, 0, uint64(5)
	if testing.Short() {
		seeds = 2
	} else if anontest.Long() {
		seeds = 15
	}
	for _, shape := range [][]int{{2, 2}, {5, 2, 7}, {80, 2, 15}, {80, 16, 7, 15, 6}, {80, 70, 60, 50}, {1000, 80, 16, 7, 15, 6, 5, 41}, {100000, 2, 5}} {
		for _, n := range []int{30, 300, 3000} {
			for seed := range seeds {
				random := rand.New(rand.NewPCG(seed, uint64(n)))
				a, b := peopleTable(random, n, shape...), peopleTable(random, n+int(seed)%2, shape...)
				share := formerOf(t, key, a).Overlap(formerOf(t, key, b))
				most, pairs = max(most, share), pairs+1
				if share >= Copied {
					t.Errorf("%v, %d records, seed %d: %.3f", shape, n, seed, share)
				}
			}
		}
	}
	t.Logf("%d pairs, the greatest overlap is %.3f", pairs, most)
}

// Every set of columns is taken once; the package says how many there are of ten.
func TestProjections(t *testing.T) {
	for columns, want := range map[int]int{2: 1, 3: 1 + 3, 4: 1 + 6 + 4, 10: 176, 11: 1 + 11 + 55} {
		seen := make(map[string]bool)
		for _, set := range projections(columns) {
			seen[fmt.Sprint(set)] = true
		}
		if len(seen) != want || len(projections(columns)) != want {
			t.Errorf("%d columns have %d sets, %d of them different, want %d", columns, len(projections(columns)), len(seen), want)
		}
	}
}

func TestDamagedSketch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	data := formerOf(t, []byte("key"), peopleTable(random, 300, 50, 40, 30)).Encode()
	for range 2000 {
		damaged := append([]byte{}, data...)
		if at := random.IntN(len(data)); random.IntN(2) == 0 {
			damaged = damaged[:at]
		} else {
			damaged[at] ^= byte(1 + random.IntN(255))
		}
		if s, err := DecodeFormer(damaged); err == nil {
			s.Overlap(s)
		}
	}
}

func BenchmarkFormer(b *testing.B) {
	columns := peopleTable(rand.New(rand.NewPCG(1, 2)), 100_000, 1000, 80, 16, 7, 15, 6, 5, 41, 30, 20)
	key := []byte("key")
	var bytes int
	for b.Loop() {
		bytes = len(formerOf(b, key, columns).Encode())
	}
	b.ReportMetric(float64(bytes), "bytes")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e5, "ns/record")
}

// FuzzFormer: whatever bytes stand where a sketch is stored, reading them is refused,
// or gives one that is compared, and written and read alike.
func FuzzFormer(f *testing.F) {
	f.Add(Former{{records: 7, sum: 9, least: []uint64{1, 5, 9}}, {records: 7, sum: 3}}.Encode())
	for _, data := range [][]byte{{}, {0}, {0xff, 0xff, 0xff, 0xff, 0x7f}} {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := DecodeFormer(data)
		if err != nil {
			return
		}
		if share := s.Overlap(s); share < 0 || share > 1 {
			t.Errorf("an overlap of %v", share)
		}
		once := s.Encode()
		if s, err = DecodeFormer(once); err != nil || !bytes.Equal(s.Encode(), once) {
			t.Errorf("%q: written %q, then %q, %v", data, once, s.Encode(), err)
		}
	})
}
