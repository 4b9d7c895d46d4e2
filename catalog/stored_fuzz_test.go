package catalog

import (
	"bytes"
	"context"
	dbsql "database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/dynamic/sequence"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/catalog/columnar"
	"github.com/anonsql/anonsql/catalog/fault"
)

// storedForms are the decoders of data stored outside rows, each with a round trip: decode the fuzzer's bytes, and if
// that succeeds, encode, decode and encode again. The two encodings must be equal.
var storedForms = []struct {
	name  string
	again func(data []byte) (encoded []byte, err error)
}{
	{"codes", func(data []byte) ([]byte, error) {
		codes, err := columnar.DecodeCodes(nil, data)
		return columnar.EncodeCodes(codes), err
	}},
	{"dictionary", func(data []byte) ([]byte, error) {
		dictionary, err := columnar.DecodeDictionary(data)
		return columnar.EncodeDictionary(dictionary), err
	}},
	{"cells", func(data []byte) ([]byte, error) {
		cells, err := columnar.DecodeCells(data, 300)
		return columnar.EncodeCells(cells), err
	}},
	{"live", func(data []byte) ([]byte, error) {
		l, err := decodeLive(splitParts(data))
		if err != nil {
			return nil, err
		}
		l.Count()
		parts, err := encodeLive(l)
		return joinParts(parts), err
	}},
	{"record", viaJSON[ReleaseRecord]},
	{"evaluation", viaJSON[EvaluationRecord]},
	{"history", viaJSON[sequence.History]},
	{"calibration", func(data []byte) ([]byte, error) {
		c, err := utility.DecodeCalibration(data)
		if err != nil || c == nil {
			return nil, err
		}
		return c.Encode()
	}},
	{"loss", func(data []byte) ([]byte, error) {
		l, err := utility.DecodeLoss(data)
		if err != nil || l == nil {
			return nil, err
		}
		return l.Encode()
	}},
}

func viaJSON[T any](data []byte) ([]byte, error) {
	record := new(T)
	if err := json.Unmarshal(data, record); err != nil {
		return nil, err
	}
	return json.Marshal(record)
}

// joinParts concatenates the parts of a live release, in the order of their names; splitParts splits a fuzzer's
// variant of this.
func joinParts(parts map[string][]byte) []byte {
	var data []byte
	for _, name := range partNames(3) {
		data = binary.AppendUvarint(data, uint64(len(parts[name])))
		data = append(data, parts[name]...)
	}
	return data
}

func splitParts(data []byte) map[string][]byte {
	parts := make(map[string][]byte)
	for _, name := range partNames(3) {
		n, width := binary.Uvarint(data)
		if width <= 0 {
			break
		}
		data = data[width:]
		n = min(n, uint64(len(data)))
		parts[name], data = data[:n], data[n:]
	}
	return parts
}

func partNames(columns int) []string {
	names := []string{liveColumns, liveKeys, liveGroups, liveKinds}
	for i := range columns {
		names = append(names, livePart(liveDictionary, i), livePart(liveCodes, i))
	}
	return names
}

// FuzzStoredRelease: for any bytes as a stored release, its private side or its measurements, reading neither panics
// nor takes more memory than a multiple of their length, and the result has an exact round trip.
func FuzzStoredRelease(f *testing.F) {
	for form, seeds := range storedSeeds(f) {
		for _, seed := range seeds {
			f.Add(uint8(form), seed)
		}
	}
	f.Fuzz(func(t *testing.T, form uint8, data []byte) {
		stored := storedForms[int(form)%len(storedForms)]
		kept := bytes.Clone(data)
		before := allocatedBytes()
		once, err := stored.again(data)
		if took, most := allocatedBytes()-before, uint64(4<<20+1000*len(data)); took > most {
			t.Errorf("%s of %d bytes takes %d bytes", stored.name, len(data), took)
		}
		if err != nil {
			if strings.HasPrefix(err.Error(), "fault: ") {
				t.Errorf("%s of %q: %v", stored.name, data, err)
			}
			return
		}
		if !bytes.Equal(kept, data) {
			t.Errorf("%s: decoding changes %q to %q", stored.name, kept, data)
		}
		if once == nil {
			return // nothing stored
		}
		twice, err := stored.again(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%s of %q: written\n%q, then\n%q, %v", stored.name, data, once, twice, err)
		}
	})
}

// allocatedBytes returns the number of bytes that the process has allocated so far.
func allocatedBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// storedSeeds are well-formed bytes of every form, and some with a fault.
func storedSeeds(t testing.TB) [][][]byte {
	dictionary := []anonymize.Value{{}, anonymize.IntegerValue(-7), anonymize.RealValue(0.5), anonymize.DecimalValue("1.50"), anonymize.InstantValue(86400), anonymize.TextValue("flu")}
	cells := []anonymize.Cell{{Label: "[1-3]", Members: []uint32{1, 2, 3}}, {Label: "*", Members: []uint32{0, 4}, Weights: []float64{0.25, 0.75}}}
	live, err := encodeLive(&anonymize.Live{
		Columns: []*anonymize.Column{anonymize.NewColumn("age", "INT", dictionary[1:3]), anonymize.NewColumn("illness", "VARCHAR(9)", []anonymize.Value{dictionary[5], {}})},
		Key:     []int64{3, 0}, Group: []uint32{0, anonymize.Waiting}, Kind: []anonymize.RecordKind{anonymize.Person, anonymize.ForgedByDeletion},
	})
	if err != nil {
		t.Fatal(err)
	}
	seeds := map[string][][]byte{
		"codes":      {columnar.EncodeCodes(nil), columnar.EncodeCodes([]uint32{1, 2}), columnar.EncodeCodes([]uint32{1, 256}), columnar.EncodeCodes([]uint32{1, 1 << 20}), {}, {3, 1}, {2, 1}},
		"dictionary": {columnar.EncodeDictionary(dictionary), {0}, {9, 1}, {1, 250}},
		"cells":      {columnar.EncodeCells(cells), {1, 0, 0, 0}, {1, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}},
		"live":       {joinParts(live), {2, '[', ']'}},
		"record": {[]byte(`{"Name":"p","Version":1,"Rows":4,"Groups":2,"Parameters":{"k":"2"},"Guarantees":[{"Name":"k","Required":"2","Achieved":2}],"Fragments":[{"Name":"qi1","Role":"qi","Columns":[{"Name":"a","Type":"int"}]}],"Live":{"Updates":"sealed"},"Loss":{"Attributes":null}}`),
			[]byte(`null`), []byte(`{"Fragments":[{},{"Columns":[{}]}]}`)},
		"evaluation":  {[]byte(`{"Low":1,"High":2,"Coverage":0.9,"Bounds":{"Mean":1}}`)},
		"history":     {[]byte(`{}`), []byte(`null`)},
		"calibration": {[]byte(`null`), []byte(`{"Cells":[{"Quantiles":[1,2,3]}]}`), []byte(`{"Cells":[]}`)},
		"loss":        {[]byte(`{"Attributes":[{"Attribute":"a","GLP":0.5,"Probability":{"Mean":0.2,"Greatest":0.2,"L":5}}]}`), {}},
	}
	all := make([][][]byte, len(storedForms))
	for i, form := range storedForms {
		if all[i] = seeds[form.name]; len(all[i]) == 0 {
			t.Fatalf("%s has no seed", form.name)
		}
	}
	return all
}

// FuzzReleasePart: for any bytes as one stored part of a release, reading is refused, or gives a release that can be
// verified and queried. Undetectable changes of parts are accepted.
func FuzzReleasePart(f *testing.F) {
	id := int64(0)
	c, err := Open(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { c.Close() })
	record := &ReleaseRecord{Name: "p", Method: "test", Unit: []string{"person"}}
	release := smallRelease()
	record.Rows, record.Fragments = release.Rows, fragmentRecords(release)
	if _, err := OpenReleases(c, func(*sql.Context, string, string) bool { return true }); err != nil {
		f.Fatal(err)
	}
	var parts []string // WHERE conditions
	err = c.Update(context.Background(), func(tx *dbsql.Conn) (err error) {
		if id, err = insertRelease(context.Background(), tx, record, release); err != nil {
			return err
		}
		rows, err := tx.QueryContext(context.Background(), `SELECT fragment, position, kind, data FROM release_parts WHERE release_id = ? ORDER BY 1, 2, 3`, id)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var fragment, position int
			var kind string
			var data []byte
			if err := rows.Scan(&fragment, &position, &kind, &data); err != nil {
				return err
			}
			f.Add(uint8(len(parts)), data)
			parts = append(parts, fmt.Sprintf("fragment = %d AND position = %d AND kind = '%s'", fragment, position, kind))
		}
		return rows.Err()
	})
	if err != nil {
		f.Fatal(err)
	}
	record.ID = id
	tuples := slices.IndexFunc(parts, func(p string) bool { return strings.Contains(p, "'tuples'") })
	f.Add(uint8(tuples), columnar.EncodeCodes([]uint32{5000, 1<<32 - 4998})) // as many tuples as there are, modulo 2^32
	f.Fuzz(func(t *testing.T, part uint8, data []byte) {
		err := c.Update(context.Background(), func(tx *dbsql.Conn) error {
			_, err := tx.ExecContext(context.Background(), "UPDATE release_parts SET data = ? WHERE release_id = ? AND "+parts[int(part)%len(parts)], append([]byte{}, data...), id)
			if err != nil {
				return err
			}
			read, err := readRelease(context.Background(), tx, record)
			if err == nil {
				verifyAndAsk(t, read)
			} else if !errors.Is(err, fault.ErrDamaged) {
				t.Errorf("%s of %q: %v does not say that it is damaged", parts[int(part)%len(parts)], data, err)
			}
			return fault.ErrUndone
		})
		if !errors.Is(err, fault.ErrUndone) {
			t.Fatal(err)
		}
	})
}

// verifyAndAsk uses a release like one that was read.
func verifyAndAsk(t *testing.T, r *anonymize.Release) {
	t.Helper()
	if err := r.Check(); err != nil {
		t.Error(err)
	}
	if _, err := privacy.Verify(r); err != nil {
		t.Log(err)
	}
	if rows := estimate.Draw(r, rand.NewPCG(1, 2)).Rows; rows != r.Rows {
		t.Errorf("%d of %d rows are drawn", rows, r.Rows)
	}
}

// smallRelease has two groups, with units, a fragment of points and one of cells.
func smallRelease() *anonymize.Release {
	ages := []anonymize.Value{anonymize.IntegerValue(1), anonymize.IntegerValue(2), anonymize.IntegerValue(3), anonymize.IntegerValue(4)}
	ills := []anonymize.Value{{}, anonymize.TextValue("cold"), anonymize.TextValue("flu")}
	return &anonymize.Release{Method: "test", Rows: 5, GroupSizes: []uint32{3, 2}, Units: []uint32{3, 1}, Fragments: []*anonymize.Fragment{
		{Name: "qi1", Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0, 1, 2}, Count: []uint32{3, 2}, Units: []uint32{3, 1}, Columns: []*anonymize.FragmentColumn{{
			Name: "age", Type: "int", Dictionary: ages, Codes: []uint32{0, 1},
			Cells: []anonymize.Cell{{Label: "[1-2]", Members: []uint32{0, 1}}, {Label: "{1,4}", Members: []uint32{0, 3}, Weights: []float64{0.5, 0.5}}},
		}}},
		{Name: "sa", Role: anonymize.Sensitive, GroupStart: []uint32{0, 2, 4}, Count: []uint32{2, 1, 1, 1}, Units: []uint32{2, 1, 1, 1}, Columns: []*anonymize.FragmentColumn{{
			Name: "illness", Type: "varchar(9)", Dictionary: ills, Codes: []uint32{0, 1, 1, 2},
		}}},
	}}
}
