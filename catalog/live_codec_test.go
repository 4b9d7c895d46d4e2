package catalog

import (
	dbsql "database/sql"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
)

// Random private sides come back as they were.
func TestLiveRoundTrip(t *testing.T) {
	c, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	random := rand.New(rand.NewPCG(8, 9))
	values := []func() anonymize.Value{
		func() anonymize.Value { return anonymize.NullValue },
		func() anonymize.Value { return anonymize.IntegerValue(int64(random.Uint64())) },
		func() anonymize.Value {
			return anonymize.RealValue(random.NormFloat64() * math.Pow(10, float64(random.IntN(300))))
		},
		func() anonymize.Value {
			return anonymize.DecimalValue(fmt.Sprintf("%d.%02d", random.IntN(99), random.IntN(99)))
		},
		func() anonymize.Value { return anonymize.InstantValue(random.Int64() - random.Int64()) },
		func() anonymize.Value { return anonymize.TextValue(strings.Repeat("ä\x00", random.IntN(4))) },
	}
	for round := range 60 {
		n := []int{0, 1, 5, 300, 70_000}[max(0, round%12-7)]
		l := &anonymize.Live{Key: make([]int64, n), Group: make([]uint32, n), Kind: make([]anonymize.RecordKind, n)}
		for i := range n {
			l.Key[i] = []int64{0, int64(i), random.Int64(), math.MaxInt64}[random.IntN(4)]
			l.Group[i] = []uint32{anonymize.Waiting, uint32(i), anonymize.Waiting - 1}[random.IntN(3)]
			l.Kind[i] = anonymize.RecordKind(random.IntN(4))
		}
		for j := range random.IntN(4) {
			column := make([]anonymize.Value, n)
			for i := range column {
				column[i] = values[(random.IntN(1+round%2)+j+round)%len(values)]()
			}
			l.Columns = append(l.Columns, anonymize.NewColumn(fmt.Sprint("c", j), "decimal(4,2)", column))
		}
		if columns := len(l.Columns); columns > 1 {
			l.UnitColumns = random.IntN(columns)
		}
		stored := privateSide{live: l, history: []byte(strings.Repeat("h", random.IntN(3)))}
		if round%3 == 0 {
			stored.key = &source.Key{Primary: []source.KeyColumn{{Name: "id", Type: "int(11)"}}, Created: "5", Secret: []byte{byte(round)}}
		}
		var kept privateSide
		err := c.Update(t.Context(), func(tx *dbsql.Conn) (err error) {
			if err := insertLive(t.Context(), tx, int64(round), stored); err != nil {
				return err
			}
			kept, err = readLive(t.Context(), tx, int64(round))
			return err
		})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if string(kept.history) != string(stored.history) || !reflect.DeepEqual(kept.key, stored.key) {
			t.Fatalf("round %d: another history or key came back", round)
		}
		wantLive(t, round, kept.live, l)
	}
}

// wantLive compares a private side with the stored one.
func wantLive(t *testing.T, round int, back, l *anonymize.Live) {
	t.Helper()
	if !slices.Equal(back.Key, l.Key) || !slices.Equal(back.Group, l.Group) || !slices.Equal(back.Kind, l.Kind) || len(back.Columns) != len(l.Columns) {
		t.Fatalf("round %d: what came back is another", round)
	}
	for j, c := range l.Columns {
		d := back.Columns[j]
		if d.Name != c.Name || d.Type != c.Type || !slices.Equal(d.Dictionary, c.Dictionary) || !slices.Equal(d.Codes, c.Codes) {
			t.Fatalf("round %d: column %d is another", round, j)
		}
	}
}

// Damaged bytes are an error, never a panic or a wrong private side of another
// length.
func TestDamagedLive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := anonymize.NewColumn("q", "int", []anonymize.Value{anonymize.TextValue("a"), anonymize.IntegerValue(7), anonymize.NullValue})
	l := &anonymize.Live{Columns: []*anonymize.Column{text}, Key: []int64{3, 900, 0}, Group: []uint32{0, anonymize.Waiting, 0}, Kind: []anonymize.RecordKind{0, 0, 2}}
	for range 3000 {
		parts, err := encodeLive(l)
		if err != nil {
			t.Fatal(err)
		}
		part := slices.Sorted(maps.Keys(parts))[random.IntN(len(parts))]
		data := slices.Clone(parts[part])
		if at := random.IntN(len(data)); random.IntN(2) == 0 {
			data = data[:at]
		} else {
			data[at] ^= byte(1 + random.IntN(255))
		}
		parts[part] = data
		back, err := decodeLive(parts)
		if err != nil {
			continue
		}
		for _, c := range back.Columns {
			if len(back.Key) != 3 || len(c.Codes) != len(back.Key) || slices.Max(c.Codes) >= uint32(len(c.Dictionary)) {
				t.Fatalf("damaged %s: %v", part, back)
			}
		}
	}
}
