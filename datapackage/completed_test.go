package datapackage

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// completable is the sampled package without its cells, with two completed tables: as
// the tuples are published, and with the diseases of a group the other way round.
func completable(t *testing.T) *Package {
	t.Helper()
	p := sampled(t)
	p.Release.Fragments, p.Columns = p.Release.Fragments[1:], p.Columns[1:]
	p.QuasiIdentifiers = p.QuasiIdentifiers[1:]
	var err error
	if p.Guarantees, err = privacy.Verify(p.Release); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(p.Columns) // the view has another order than the fragments
	p.Completion = anonymize.NewCompletion(p.Release, [][][]uint16{
		{{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}}, {{3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0}}})
	return p
}

// drawn are the rows of a completed table, by attribute, as the fragments have them.
func drawn(p *Package, table int, name string) (values []anonymize.Value) {
	at, column, _ := p.Release.Locate(name)
	c := p.Release.Fragments[at].Columns[column]
	for slot := range p.Release.Rows {
		if at == 1 { // each tuple is one record's, in groups of four
			slot = slot/4*4 + int(p.Completion.Narrow[table][0][slot])
		}
		values = append(values, c.Dictionary[c.Codes[slot]])
	}
	return values
}

func TestCompletedTablesAreWritten(t *testing.T) {
	p := completable(t)
	for _, format := range Formats() {
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		told := 0
		size, files, err := Write(context.Background(), root, "out", p, WriteOptions{Format: format, Completed: 2, Progress: func(int, int) { told++ }})
		if err != nil {
			t.Fatal(err)
		}
		packed := os.DirFS(filepath.Join(root.Name(), "out"))
		d, err := readDescriptor(packed)
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"completed_1", "completed_2"}; !slices.Equal(d.About.Completed, want) || files != len(d.Resources)+2 || told != len(d.Resources) {
			t.Errorf("%s: completed tables %q, %d files, told %d times", format, d.About.Completed, files, told)
		}
		in := &reader{files: packed, limits: Limits{}.withDefaults()}
		total := int64(0)
		for i := range d.Resources {
			r := &d.Resources[i]
			total += r.Bytes
			number, ofCompleted := strings.CutPrefix(r.Name, "completed_")
			if !ofCompleted {
				continue
			}
			if r.Path != "completed/"+number+"."+string(format) {
				t.Errorf("the path is %s", r.Path)
			}
			checkCompletedFile(t, in, r, p, int(number[0]-'1'))
		}
		readme, err := os.ReadFile(filepath.Join(root.Name(), "out", "README.md"))
		if err != nil || !bytes.Contains(readme, []byte("## Completed tables")) || !bytes.Contains(readme, []byte("| completed/2."+string(format)+" |")) || total >= size {
			t.Errorf("%v, the README says\n%s", err, readme)
		}
	}
}

// checkCompletedFile reads the file as other tables are read.
func checkCompletedFile(t *testing.T, in *reader, r *resource, p *Package, number int) {
	t.Helper()
	content := &readTable{rows: p.Release.Rows}
	for i, f := range r.Schema.Fields {
		if f.Name != p.Columns[i] {
			t.Fatalf("column %d is %s, want %s", i, f.Name, p.Columns[i])
		}
		at, column, _ := p.Release.Locate(f.Name)
		dictionary, _ := usedValues(p.Release.Fragments[at].Columns[column])
		k, _ := kindOf(dictionary)
		content.columns = append(content.columns, &readColumn{name: f.Name, kind: k})
	}
	if err := in.table(context.Background(), r, content); err != nil {
		t.Fatal(err)
	}
	for _, c := range content.columns {
		values, err := c.values()
		if err != nil {
			t.Fatal(err)
		}
		var got []anonymize.Value
		for _, code := range c.codes {
			got = append(got, values[code])
		}
		if want := drawn(p, number, c.name); !slices.Equal(got, want) {
			t.Errorf("%s: column %s is %v, want %v", r.Path, c.name, got, want)
		}
	}
}

// A package is read as if its completed tables were not there, whatever they are; and
// none of its parts may be among them.
func TestCompletedTablesAreNotRead(t *testing.T) {
	p := completable(t)
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, tables := range map[string]int{"without": 0, "with": 2} {
		if _, _, err := Write(context.Background(), root, name, p, WriteOptions{Completed: tables}); err != nil {
			t.Fatal(err)
		}
	}
	plain, err := Read(context.Background(), os.DirFS(filepath.Join(root.Name(), "without")), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	files, limit := loaded(t, filepath.Join(root.Name(), "without")), Limits{}
	for _, f := range files {
		limit.Bytes += int64(len(f.Data)) // no room for completed tables
	}
	text, err := os.ReadFile(filepath.Join(root.Name(), "with", DescriptorName))
	if err != nil {
		t.Fatal(err)
	}
	files[DescriptorName], files["completed/1.csv"] = &fstest.MapFile{Data: text}, &fstest.MapFile{Data: []byte("garbage")} // and no completed/2.csv
	read, err := Read(context.Background(), files, limit)
	if err != nil || !reflect.DeepEqual(read, plain) {
		t.Errorf("with completed tables the package is %+v, %v", read, err)
	}
	d, err := readDescriptor(files)
	if err != nil {
		t.Fatal(err)
	}
	d.About.Completed = append(d.About.Completed, d.About.Fragments[0].Resource)
	if text, err = json.Marshal(d); err != nil {
		t.Fatal(err)
	}
	files[DescriptorName] = &fstest.MapFile{Data: text}
	if _, err := Read(context.Background(), files, Limits{}); err == nil || !strings.Contains(err.Error(), "there is no resource") {
		t.Errorf("a fragment among completed tables: %v", err)
	}
}

func TestCompletedTablesThatAreNotThere(t *testing.T) {
	p := completable(t)
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for tables, want := range map[int]string{3: "must be 0 to 2", -1: "must be 0 to 2"} {
		if _, _, err := Write(context.Background(), root, "out", p, WriteOptions{Completed: tables}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d tables: %v", tables, err)
		}
	}
	p.Completion = nil
	if _, _, err := Write(context.Background(), root, "out", p, WriteOptions{Completed: 1}); err == nil || !strings.Contains(err.Error(), "CALL fit_release('Sample$1')") {
		t.Errorf("without completed tables: %v", err)
	}
	// A release whose own files would have the names.
	p = completable(t)
	p.Name, p.Release.Fragments[0].Name = "completed", "1"
	if _, _, err := Write(context.Background(), root, "out", p, WriteOptions{Completed: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(context.Background(), os.DirFS(filepath.Join(root.Name(), "out")), Limits{}); err != nil {
		t.Error(err)
	}
}
