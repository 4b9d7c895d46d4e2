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

// sealed adjusts sizes and hashes in the descriptor to the files, as a careful forger does.
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

// A refusal is a modification of a package, with a part of the error.
type refusal struct {
	name   string
	change func(*testing.T, fstest.MapFS)
	want   string
}

// edited replaces the first old in a file by new.
func edited(name, old, new string) func(*testing.T, fstest.MapFS) {
	return func(t *testing.T, files fstest.MapFS) {
		data := files[name].Data
		if !bytes.Contains(data, []byte(old)) {
			t.Fatalf("%s has no %q:\n%s", name, old, data)
		}
		files[name] = &fstest.MapFile{Data: bytes.Replace(data, []byte(old), []byte(new), 1)}
	}
}

// said replaces the first old in the descriptor by new.
func said(old, new string) func(*testing.T, fstest.MapFS) { return edited(DescriptorName, old, new) }

// put replaces a file.
func put(name string, file *fstest.MapFile) func(*testing.T, fstest.MapFS) {
	return func(_ *testing.T, files fstest.MapFS) { files[name] = file }
}

func removed(name string) func(*testing.T, fstest.MapFS) {
	return func(_ *testing.T, files fstest.MapFS) { delete(files, name) }
}

// checkRefusals makes each modification in a separate package, corrects the hashes, and expects an error about the
// data.
func checkRefusals(t *testing.T, refusals []refusal) {
	t.Helper()
	folder := writtenFolder(t, sampled(t), CSV)
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			files := loaded(t, folder)
			c.change(t, files)
			if d := new(descriptor); files[DescriptorName] != nil && json.Unmarshal(files[DescriptorName].Data, d) == nil && d.About != nil {
				sealed(t, files)
			}
			_, err := Read(context.Background(), files, Limits{})
			if data := (*anonymize.DataError)(nil); !errors.As(err, &data) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// The files of the sampled package.
const (
	sampledQI     = "sample_1_qi1.csv"
	sampledSA     = "sample_1_sa.csv"
	sampledGroups = "sample_1_gid.csv"
	sampledCells  = "sample_1_qi1_age_cells.csv"
	sampledValues = "sample_1_qi1_age_values.csv"
)

// A descriptor that is none is refused, and so are paths that lead elsewhere.
func TestReadRefusesFiles(t *testing.T) {
	tail := func(_ *testing.T, f fstest.MapFS) { f[DescriptorName].Data = append(f[DescriptorName].Data, '1') }
	checkRefusals(t, []refusal{
		{"no descriptor", removed(DescriptorName), "it has no datapackage.json: name the folder"},
		{"half a descriptor", put(DescriptorName, &fstest.MapFile{Data: []byte("{")}), "unexpected EOF"},
		{"a descriptor of somebody else", put(DescriptorName, &fstest.MapFile{Data: []byte("{}")}), "not of anonsql"},
		{"bytes that are no text", put(DescriptorName, &fstest.MapFile{Data: []byte("\xff")}), "not UTF-8"},
		{"something behind the descriptor", tail, "something behind"},
		{"a deep descriptor", put(DescriptorName, &fstest.MapFile{Data: []byte(strings.Repeat(`{"a":`, 20_000))}), "exceeded max depth"},
		{"a long descriptor", put(DescriptorName, &fstest.MapFile{Data: make([]byte, descriptorBytes+1)}), "more than"},
		{"a method of markup", said(`"method": "slppa"`, `"method": "<script>alert(5)</script>"`), "the name of its method"},
		{"a parameter of markup", said(`"parameters": {`, `"parameters": {"<script>": "1", `), "parameter"},
		{"a parameter with a line break", said(`"parameters": {`, `"parameters": {"alpha": "1\n2", `), "parameter"},
		{"no file", removed(sampledSA), sampledSA + " is missing"},
		{"a folder", put(sampledSA, &fstest.MapFile{Mode: fs.ModeDir}), "no file"},
		{"a path out of the package", said(`"path": "`+sampledSA, `"path": "../../etc/passwd`), "must be a file of the package"},
		{"an absolute path", said(`"path": "`+sampledSA, `"path": "/etc/passwd`), "must be a file of the package"},
		{"an address", said(`"path": "`+sampledSA, `"path": "http://example.org/x`), "must be a file of the package"},
		{"one path twice", said(`"path": "`+sampledSA, `"path": "`+sampledGroups), "two resources have the path"},
		{"several paths", said(`"path": "`+sampledSA+`"`, `"path": ["`+sampledSA+`"]`), "path"},
	})
}

// The descriptor's claims are checked against the files.
func TestReadRefusesClaims(t *testing.T) {
	checkRefusals(t, []refusal{
		{"too many records", said(`"records": 12`, `"records": 1000000000000`), "records, must be 1 to"},
		{"a record more", said(`"records": 12`, `"records": 13`), "the groups have 12 records, the release has 13"},
		{"a group less", said(`"groups": 3`, `"groups": 2`), "more than the 2 rows"},
		{"a group more", said(`"groups": 3`, `"groups": 4`), "has 3 rows, must have 4"},
		{"counterfeits only", said(`"forged": 0`, `"forged": 12`), "counterfeits"},
		{"a tuple more", said(`"tuples": 8`, `"tuples": 9`), "must have 9"},
		{"fewer tuples than none", said(`"tuples": 8`, `"tuples": -1`), "-1 tuples"},
		{"an unknown role", said(`"role": "sa"`, `"role": "boss"`), "the role"},
		{"an unknown kind", said(`"kind": "decimal"`, `"kind": "roman"`), "kind"},
		{"an unknown estimator", said(`"formatVersion": 1`, `"answers": {"estimator": "oracle"}, "formatVersion": 1`), "must be imputed or independent"},
		{"another format", said(`"formatVersion": 1`, `"formatVersion": 2`), "formatVersion"},
		{"an unknown resource", said(`"resource": "sample_1_sa"`, `"resource": "elsewhere"`), "is missing"},
		{"a promise that is broken", said(`"required": "1/3"`, `"required": "1/9"`), "promised was at most"},
		{"a promise that is no number", said(`"required": "1/3"`, `"required": "1/0"`), "no ratio"},
		{"an unknown promise", said(`"name": "beta"`, `"name": "luck"`), "luck was promised"},
		{"another figure achieved", said(`"achieved": 0.25`, `"achieved": 0.125`), "recomputed from its fragments"},
		{"a figure that nothing determines", said(`"guarantees": [`, `"guarantees": [{"name": "label_epsilon", "achieved": 0.1, "holds": true}, `), "do not determine"},
		{"a figure of an attribute", said(`"guarantees": [`, `"guarantees": [{"name": "l(disease)", "achieved": 1000, "holds": true}, `), "do not determine"},
		{"a measured attack", said(`"guarantees": [`, `"guarantees": [{"name": "definetti", "achieved": 0.001, "holds": true}, `), "do not determine"},
		{"a figure twice", said(`"guarantees": [`, `"guarantees": [{"name": "beta", "achieved": 0.25, "holds": true}, `), "states beta twice"},
		{"a sensitive attribute that is called a quasi-identifier", said(`"nothing"`+"\n    ],\n    "+`"sensitive": [`, `"nothing",`), "of role sa, and"},
		{"a column without a role", said(`"quasiIdentifiers": [`, `"quasiIdentifiers": [], "none": [`), "of role qi, and"},
		{"a column of two roles", said(`"disease"`+"\n"+`    ],`, `"disease", "disease"],`), "has two roles"},
	})
}

// Tables are refused by the row that is wrong: groups, counts, cells, values.
func TestReadRefusesRows(t *testing.T) {
	const cell = "[20-22],[20-22],20,22,"
	checkRefusals(t, []refusal{
		{"a group twice", edited(sampledGroups, "2,4", "1,4"), "every gid once"},
		{"a larger group", edited(sampledGroups, "2,4", "2,5"), "13 records"},
		{"a group smaller than none", edited(sampledGroups, "2,4", "2,-4"), "must be a whole number"},
		{"a group of too many", edited(sampledGroups, "2,4", "2,99999999999"), "must be a whole number"},
		{"a larger count", edited(sampledSA, ",1\n", ",2\n"), "group 1 has 5 records here"},
		{"a count of none", edited(sampledSA, ",1\n", ",0\n"), "count 0"},
		{"a field more", edited(sampledSA, ",1\n", ",1,1\n"), "has not 3 fields"},
		{"another header", edited(sampledSA, "gid,", "git,"), "its header"},
		{"a group out of order", edited(sampledSA, "\n1,", "\n2,"), "gid"},
		{"something behind quotes", edited(sampledSA, ",1\n", ",\"1\"x\n"), "behind its quotes"},
		{"bytes that are no text", edited(sampledSA, "çedilla", "\xffedilla"), "not UTF-8"},
		{"a cell that ends before it begins", edited(sampledCells, cell, "[20-22],[20-22],22,20,"), "end before they begin"},
		{"a cell beyond the values", edited(sampledCells, cell, "[20-22],[20-22],20,99,"), "none of the attribute's values"},
		{"a cell under another name", edited(sampledCells, "[20-22],[20-22]", "[20-23],[20-22]"), "does not say what the cell"},
		{"a weight below 0", edited(sampledCells, "0.25", "-0.25"), "weight"},
		{"a weight that is no number", edited(sampledCells, "0.25", "NaN"), "no value of the kind real"},
		{"a value of another kind", edited(sampledValues, "2,20", "2,20.0"), "no value of the kind integer"},
		{"values out of order", edited(sampledValues, "2,20", "2,29"), "ascend"},
		{"a cell that nobody describes", edited(sampledQI, "[20-22]", "[20-25]"), "does not say what"},
		{"quotes that do not end", put(sampledQI, &fstest.MapFile{Data: []byte("gid,age,count\n1,\"")}), "does not end"},
	})
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

// Sizes that a Parquet file claims cause no allocations.
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

// FuzzPackage: no descriptor and no table makes the reader panic. It returns a verified release, or an error for
// people. The test corrects the table's size and hash if the descriptor is readable.
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

// FuzzTable: no bytes make the readers of tables panic, or use more memory than the possible rows need.
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
