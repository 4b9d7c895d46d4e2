package datapackage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/anonsql/anonsql/anonymize"
)

// loaded are the files of a folder.
func loaded(t testing.TB, folder string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = &fstest.MapFile{Data: data}
	}
	return files
}

// sealed makes sizes and hashes of the descriptor those of the files, as somebody
// does who changes a package with care.
func sealed(t testing.TB, files fstest.MapFS) {
	t.Helper()
	var d descriptor
	if err := json.Unmarshal(files[DescriptorName].Data, &d); err != nil {
		t.Fatal(err)
	}
	for i := range d.Resources {
		r := &d.Resources[i]
		if f := files[r.Path]; f != nil {
			sum := sha256.Sum256(f.Data)
			r.Bytes, r.Hash = int64(len(f.Data)), "sha256:"+hex.EncodeToString(sum[:])
		}
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	files[DescriptorName] = &fstest.MapFile{Data: text}
}

// Each change of a package is refused by a name that says what it is, with the
// hashes put right too.
func TestReadRefuses(t *testing.T) {
	folder := writtenFolder(t, sampled(t), CSV)
	table := func(name, old, new string) func(fstest.MapFS) {
		return func(files fstest.MapFS) {
			data := files[name].Data
			if !bytes.Contains(data, []byte(old)) {
				t.Fatalf("%s has no %q:\n%s", name, old, data)
			}
			files[name] = &fstest.MapFile{Data: bytes.Replace(data, []byte(old), []byte(new), 1)}
		}
	}
	said := func(old, new string) func(fstest.MapFS) { return table(DescriptorName, old, new) }
	const qi, sa, gid, cells, values = "sample_1_qi1.csv", "sample_1_sa.csv", "sample_1_gid.csv", "sample_1_qi1_age_cells.csv", "sample_1_qi1_age_values.csv"
	for _, c := range []struct {
		change func(fstest.MapFS)
		want   string
	}{
		{func(f fstest.MapFS) { delete(f, DescriptorName) }, "datapackage.json cannot be read"},
		{func(f fstest.MapFS) { f[DescriptorName] = &fstest.MapFile{Data: []byte("{")} }, "unexpected EOF"},
		{func(f fstest.MapFS) { f[DescriptorName] = &fstest.MapFile{Data: []byte("{}")} }, "not of anonsql"},
		{func(f fstest.MapFS) { f[DescriptorName] = &fstest.MapFile{Data: []byte("\xff")} }, "not UTF-8"},
		{func(f fstest.MapFS) { f[DescriptorName].Data = append(f[DescriptorName].Data, '1') }, "something behind"},
		{func(f fstest.MapFS) {
			f[DescriptorName] = &fstest.MapFile{Data: []byte(strings.Repeat(`{"a":`, 20_000))}
		}, "exceeded max depth"},
		{func(f fstest.MapFS) { f[DescriptorName] = &fstest.MapFile{Data: make([]byte, descriptorBytes+1)} }, "more than"},
		{func(f fstest.MapFS) { delete(f, sa) }, sa + " is missing"},
		{func(f fstest.MapFS) { f[sa] = &fstest.MapFile{Mode: fs.ModeDir} }, "no file"},
		{said(`"path": "`+sa, `"path": "../../etc/passwd`), "must be a file of the package"},
		{said(`"path": "`+sa, `"path": "/etc/passwd`), "must be a file of the package"},
		{said(`"path": "`+sa, `"path": "http://example.org/x`), "must be a file of the package"},
		{said(`"path": "`+sa, `"path": "`+gid), "two resources have the path"},
		{said(`"path": "`+sa+`"`, `"path": ["`+sa+`"]`), "path"},
		{said(`"records": 12`, `"records": 1000000000000`), "records, must be 1 to"},
		{said(`"records": 12`, `"records": 13`), "the groups have 12 records, the release has 13"},
		{said(`"groups": 3`, `"groups": 2`), "more than the 2 rows"},
		{said(`"groups": 3`, `"groups": 4`), "has 3 rows, must have 4"},
		{said(`"forged": 0`, `"forged": 12`), "counterfeits"},
		{said(`"tuples": 8`, `"tuples": 9`), "must have 9"},
		{said(`"tuples": 8`, `"tuples": -1`), "-1 tuples"},
		{said(`"role": "sa"`, `"role": "boss"`), "the role"},
		{said(`"kind": "decimal"`, `"kind": "roman"`), "kind"},
		{said(`"formatVersion": 1`, `"formatVersion": 2`), "formatVersion"},
		{said(`"resource": "sample_1_sa"`, `"resource": "elsewhere"`), "is missing"},
		{said(`"required": "1/3"`, `"required": "1/9"`), "promised was at most"},
		{said(`"required": "1/3"`, `"required": "1/0"`), "no ratio"},
		{said(`"name": "beta"`, `"name": "luck"`), "luck was promised"},
		{said(`"achieved": 0.25`, `"achieved": 0.125`), "recomputed from its fragments"},
		{said(`"disease"`+"\n"+`    ],`, `"disease", "disease"],`), "has two roles"},
		{table(gid, "2,4", "1,4"), "every gid once"},
		{table(gid, "2,4", "2,5"), "13 records"},
		{table(gid, "2,4", "2,-4"), "must be a whole number"},
		{table(gid, "2,4", "2,99999999999"), "must be a whole number"},
		{table(sa, ",1\n", ",2\n"), "group 0 has 5 records here"},
		{table(sa, ",1\n", ",0\n"), "count 0"},
		{table(sa, ",1\n", ",1,1\n"), "has not 3 fields"},
		{table(sa, "gid,", "git,"), "its header"},
		{table(sa, "\n1,", "\n2,"), "gid"},
		{table(sa, ",1\n", ",\"1\"x\n"), "behind its quotes"},
		{table(sa, "çedilla", "\xffedilla"), "not UTF-8"},
		{table(cells, "[20-22],[20-22],20,22,", "[20-22],[20-22],22,20,"), "end before they begin"},
		{table(cells, "[20-22],[20-22],20,22,", "[20-22],[20-22],20,99,"), "none of the attribute's values"},
		{table(cells, "[20-22],[20-22]", "[20-23],[20-22]"), "does not say what the cell"},
		{table(cells, "0.25", "-0.25"), "weight"},
		{table(cells, "0.25", "NaN"), "no value of the kind real"},
		{table(values, "2,20", "2,20.0"), "no value of the kind integer"},
		{table(values, "2,20", "2,29"), "ascend"},
		{table(qi, "[20-22]", "[20-25]"), "does not say what"},
		{func(f fstest.MapFS) { f[qi] = &fstest.MapFile{Data: []byte("gid,age,count\n1,\"")} }, "does not end"},
	} {
		files := loaded(t, folder)
		c.change(files)
		if d := new(descriptor); files[DescriptorName] != nil && json.Unmarshal(files[DescriptorName].Data, d) == nil && d.About != nil {
			sealed(t, files)
		}
		_, err := Read(context.Background(), files, Limits{})
		if data := (*anonymize.DataError)(nil); !errors.As(err, &data) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// A Parquet file in which any one byte was changed is refused, or the release in
// it is well-formed and keeps its promises; nothing panics.
func TestReadBrokenParquet(t *testing.T) {
	folder := writtenFolder(t, sampled(t), Parquet)
	whole := loaded(t, folder)
	for _, name := range slices.Sorted(maps.Keys(whole)) {
		if !strings.HasSuffix(name, ".parquet") {
			continue
		}
		data := whole[name].Data
		for at := 0; at < len(data); at += 13 {
			files := maps.Clone(whole)
			broken := bytes.Clone(data)
			broken[at] ^= byte(1 << (at % 8))
			files[name] = &fstest.MapFile{Data: broken}
			sealed(t, files)
			p, err := Read(context.Background(), files, Limits{})
			if data := (*anonymize.DataError)(nil); err != nil && !errors.As(err, &data) {
				t.Errorf("%s, byte %d: %v", name, at, err)
			}
			if err == nil {
				if err := p.check(); err != nil {
					t.Errorf("%s, byte %d: %v", name, at, err)
				}
			}
		}
	}
}

// What a Parquet file says of its own sizes takes no memory.
func TestParquetBombs(t *testing.T) {
	footer := func(body string) []byte {
		data := append([]byte("PAR1"), body...)
		data = binary.LittleEndian.AppendUint32(data, uint32(len(body)))
		return append(data, "PAR1"...)
	}
	for _, data := range [][]byte{
		nil, []byte("PAR1"), []byte("PAR1\xff\xff\xff\x7fPAR1"),
		footer("\x15\x02\x19\xfc\xff\xff\xff\xff\x07"), // a schema of 2^31 elements
		footer("\x68\xff\xff\xff\xff\x07"),             // a text of 2^31 bytes
		footer(strings.Repeat("\x1c", 1000)),           // structs in structs
		footer(strings.Repeat("\x19\x19", 1000)),       // lists in lists
	} {
		columns := &readTable{rows: 3, columns: []*readColumn{{name: "gid", number: true}}}
		if err := readParquet(context.Background(), data, columns, 3); err == nil {
			t.Errorf("%q was read", data)
		}
	}
	if runsFit([]byte{0xfe, 0xff, 0xff, 0xff, 0x0f, 1}, 8, 100) {
		t.Error("a run of 2^31 values fits 100")
	}
	if valuesFit([]byte{0x80, 1, 4, 0xff, 0xff, 0xff, 0xff, 0x0f}, 5, 100, true) {
		t.Error("2^32 values fit 100")
	}
}

// FuzzPackage: no descriptor and no table makes the reader panic, or return
// anything but a verified release or an error for people. The sizes and the hash
// of the table are put right where the descriptor can be read.
func FuzzPackage(f *testing.F) {
	for _, format := range Formats() {
		files := loaded(f, writtenFolder(f, sampled(f), format))
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if name != "README.md" && name != DescriptorName {
				f.Add(format == Parquet, name, files[DescriptorName].Data, files[name].Data)
			}
		}
	}
	whole := map[bool]fstest.MapFS{false: loaded(f, writtenFolder(f, sampled(f), CSV)), true: loaded(f, writtenFolder(f, sampled(f), Parquet))}
	f.Fuzz(func(t *testing.T, parquet bool, name string, text, table []byte) {
		files := maps.Clone(whole[parquet])
		files[DescriptorName] = &fstest.MapFile{Data: text}
		if _, known := files[name]; known && name != DescriptorName {
			files[name] = &fstest.MapFile{Data: table}
		}
		if json.Unmarshal(text, new(descriptor)) == nil {
			sealed(t, files)
		}
		p, err := Read(context.Background(), files, Limits{Records: 10_000, Bytes: 1 << 20})
		if data := (*anonymize.DataError)(nil); err != nil && !errors.As(err, &data) {
			t.Fatalf("%T: %v", err, err)
		}
		if err == nil {
			if err := p.check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzTable: no bytes make the readers of tables panic, or take memory beyond
// what the rows that may be need.
func FuzzTable(f *testing.F) {
	for _, format := range Formats() {
		files := loaded(f, writtenFolder(f, sampled(f), format))
		f.Add(format == Parquet, files["sample_1_sa."+string(format)].Data)
	}
	f.Fuzz(func(t *testing.T, parquet bool, data []byte) {
		columns := &readTable{rows: 12, columns: []*readColumn{{name: "gid", kind: integerKind, number: true},
			{name: "disease", kind: textKind}, {name: "count", kind: integerKind, number: true}}}
		r := &resource{Path: "x", Format: CSV, Schema: schema{MissingValues: []string{`\N`}}}
		if parquet {
			r.Format = Parquet
		}
		for _, c := range columns.columns {
			c.begin(12)
		}
		in := &reader{limits: Limits{}.withDefaults()}
		err := in.content(context.Background(), r, columns, bytes.NewReader(data))
		if data := (*anonymize.DataError)(nil); err != nil && !errors.As(err, &data) {
			t.Fatalf("%T: %v", err, err)
		}
		for _, c := range columns.columns {
			if len(c.codes) > 12 {
				t.Fatalf("%d rows were read", len(c.codes))
			}
		}
	})
}
