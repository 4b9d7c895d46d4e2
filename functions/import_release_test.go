package functions

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/anonsql/anonsql/catalog"
)

// exported is the folder of a package of hospital.patients in the export directory.
func (b *bench) exported() string {
	b.t.Helper()
	b.run("root", `CALL set_attributes('hospital.patients', 'qi=age,sex', 'sa=disease', 'ei=name');
		CALL anonymize('hospital.patients', 'slppa', 'beta=1/2', 'seed=7', 'calibrate=true', 'publish=ill'); CALL export_release('ill')`)
	return filepath.Join(b.environment.ExportDir, "ill")
}

// zipped returns what `anonsql import-release` sends of a folder.
func zipped(t *testing.T, folder string) string {
	t.Helper()
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	if err := archive.AddFS(os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return ZipPrefix + base64.StdEncoding.EncodeToString(packed.Bytes())
}

// A package may be sent, also to a server without an export directory, and is then
// what it was at home.
func TestImportOfZip(t *testing.T) {
	here, there := newBench(t), newBench(t)
	there.environment.ExportDir = ""
	text := zipped(t, here.exported())
	got := there.run("courier", "CALL import_release('"+text+"')").lines()
	if len(got) != 1 || !strings.HasPrefix(got[0], "ill|1|slppa|public, imported|8|4|") {
		t.Errorf("imported %q", got)
	}
	for _, question := range []string{
		"SELECT * FROM ANON_PRIVACY(ill)", "SELECT * FROM ANON_UTILITY(ill)",
		"SELECT * FROM published.ill_sa", "SELECT * FROM published.ill_qi1", "SELECT * FROM published.ill_gid",
	} {
		if at, away := here.run("analyst", question).lines(), there.run("analyst", question).lines(); !slices.Equal(at, away) {
			t.Errorf("%s\nhere\n%q\nthere\n%q", question, at, away)
		}
	}
	if _, err := there.try("courier", "CALL import_release('ill')"); err == nil || !strings.HasPrefix(failure(err), "1290 (HY000): ") {
		t.Errorf("without --export-dir: %v", err)
	}
	if _, err := there.try("root", "CALL export_release('ill')"); err == nil || !strings.HasPrefix(failure(err), "1290 (HY000): ") {
		t.Errorf("without --export-dir: %v", err)
	}
}

// An imported release answers as it did where it was made, unless its importer chooses otherwise: with the same estimator, and with completed tables
// whose misfit is measured or not.
func TestImportAnswersAsAtHome(t *testing.T) {
	here, there := newBench(t), newBench(t)
	here.run("root", "CALL set_attributes('hospital.patients', 'qi=age,sex', 'sa=disease', 'ei=name')")
	answered := func(b *bench) string {
		p, err := b.environment.Releases.Named("ill")
		if err != nil {
			t.Fatal(err)
		}
		a := b.environment.answersOf(p.Record())
		return fmt.Sprintf("%s completed=%v misfit=%v", a.Estimator, a.Completed, a.Misfit)
	}
	for _, c := range []struct{ made, imported, home, away string }{
		{"'fit=true'", "", "imputed completed=true misfit=true", ""},
		{"'fit=true', 'misfit=false'", "", "imputed completed=true misfit=false", ""},
		{"'fit=true', 'misfit=false'", ", 'misfit=true'", "imputed completed=true misfit=false", "imputed completed=true misfit=true"},
		{"'fit=true', 'misfit=false', 'estimator=independent'", "", "independent completed=true misfit=false", ""},
		{"'fit=false'", "", "independent completed=false misfit=false", ""},
		{"'fit=false'", ", 'fit=true', 'misfit=false'", "independent completed=false misfit=false", "imputed completed=true misfit=false"},
		{"'fit=async', 'misfit=false'", "", "imputed completed=true misfit=false", ""},
	} {
		here.run("root", "CALL anonymize('hospital.patients', 'slppa', 'beta=1/2', 'seed=7', 'publish=ill', 'allow_composition=true', "+c.made+"); CALL export_release('ill')")
		text := zipped(t, filepath.Join(here.environment.ExportDir, "ill"))
		there.run("courier", "CALL import_release('"+text+"'"+c.imported+")")
		if c.away == "" {
			c.away = c.home
		}
		if home, away := answered(here), answered(there); home != c.home || away != c.away {
			t.Errorf("%s, imported with %q: %s, want %s; imported %s, want %s", c.made, c.imported, home, c.home, away, c.away)
		}
		there.run("root", "CALL drop_release('ill')")
		if _, err := ImportRelease(there.context(context.Background(), "root", ""), there.environment.Releases, os.DirFS(filepath.Join(here.environment.ExportDir, "ill")), "", false,
			func(string, int, int) {}); err != nil {
			t.Fatal(err)
		}
		if away := answered(there); away != c.home {
			t.Errorf("%s, taken in without a server: %s, want %s", c.made, away, c.home)
		}
		there.run("root", "CALL drop_release('ill')")
		here.run("root", "CALL drop_release('ill')")
		if err := os.RemoveAll(filepath.Join(here.environment.ExportDir, "ill")); err != nil {
			t.Fatal(err)
		}
	}
}

// An imported release is verified: a package that was changed is refused and stores
// nothing.
func TestImportOfChangedPackage(t *testing.T) {
	b := newBench(t)
	folder := b.exported()
	b.run("root", "CALL drop_release('ill')")
	for _, file := range []string{"ill_sa.csv", "datapackage.json"} {
		name := filepath.Join(folder, file)
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, changed := range []string{strings.Replace(string(whole), "flu", "gout", 1), string(whole[:len(whole)/2]), ""} {
			if changed == string(whole) {
				continue
			}
			if err := os.WriteFile(name, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := b.try("courier", "CALL import_release('ill')"); err == nil || !strings.HasPrefix(failure(err), "data: ") {
				t.Errorf("%s with %d of %d bytes: %v", file, len(changed), len(whole), err)
			}
		}
		if err := os.WriteFile(name, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n := b.number("SELECT COUNT(*) FROM anonsql.releases"); n != 0 {
		t.Errorf("%v releases are stored", n)
	}
	// ImportRelease is the same without a statement.
	ctx := b.context(context.Background(), "courier", "")
	var told []string
	if record, err := ImportRelease(ctx, b.environment.Releases, os.DirFS(folder), "again", false, func(phase string, _, _ int) { told = append(told, phase) }); err != nil || record.Name != "again" || !record.Imported {
		t.Errorf("%+v, %v", record, err)
	}
	if phases := slices.Compact(told); !slices.Equal(phases, []string{"read the package", "publish"}) {
		t.Errorf("its phases are %q", phases)
	}
	if _, err := ImportRelease(ctx, b.environment.Releases, fstest.MapFS{}, "", false, func(string, int, int) {}); err == nil {
		t.Error("a package without files was imported")
	}
}

// An import that cannot be stored has an error, and no release beside it.
func TestImportThatIsNotStored(t *testing.T) {
	b := newBench(t)
	folder := os.DirFS(b.exported())
	b.run("root", "CALL drop_release('ill')")
	refused := errors.New("it was killed")
	settled := catalog.WithSettler(t.Context(), catalog.Settler{Settle: func(context.Context) error { return refused }})
	record, err := ImportRelease(b.context(settled, "courier", ""), b.environment.Releases, folder, "", false, func(string, int, int) {})
	if !errors.Is(err, refused) || record != nil {
		t.Errorf("%+v, %v", record, err)
	}
}

// Without a server nobody draws completed tables; the next server on the catalog does.
func TestImportWithoutServer(t *testing.T) {
	b := newBench(t)
	rows := make([]string, fewFitted)
	for i := range rows {
		rows[i] = fmt.Sprintf("(%d, 'd%d')", i%50, i%4)
	}
	b.run("root", "CREATE TABLE hospital.many (age INT, disease VARCHAR(20)); INSERT INTO hospital.many VALUES "+strings.Join(rows, ", ")+
		"; CALL anonymize('hospital.many', 'in_order', 'qi=age', 'sa=disease', 'misfit=false', 'attacks=false'); CALL export_release('many'); CALL drop_release('many')")
	folder := os.DirFS(filepath.Join(b.environment.ExportDir, "many"))
	record, err := ImportRelease(b.context(context.Background(), "courier", ""), b.environment.Releases, folder, "", false, func(string, int, int) {})
	if err != nil || record.Completion != nil {
		t.Fatalf("%+v, %v", record, err)
	}
	fitWhenAsked(t, b.environment, func() {})
	if row := b.run("root", "SELECT estimator, completed_tables FROM anonsql.releases").lines(); row[0] != "imputed|12" {
		t.Errorf("%q", row)
	}
}

// The export directory is not to be found: the client is not told where it was.
func TestExportDirectoryIsGone(t *testing.T) {
	b := newBench(t)
	b.exported()
	b.environment.ExportDir = filepath.Join(t.TempDir(), "gone")
	for user, statement := range map[string]string{"root": "CALL export_release('ill', 'dir=x')", "courier": "CALL import_release('ill')"} {
		_, err := b.try(user, statement)
		if err == nil || !strings.HasPrefix(failure(err), "data: the export directory cannot be opened: ") || strings.Contains(err.Error(), "gone") {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// A killed statement cannot look up the owner of a release, and says that it was killed.
func TestKilledExport(t *testing.T) {
	b := newBench(t)
	b.exported()
	killed, kill := context.WithCancel(context.Background())
	kill()
	if _, err := b.environment.exportRelease(b.context(killed, "root", ""), "ill"); err != context.Canceled {
		t.Errorf("%v", err)
	}
}

// Progress of an import is in KiB of all files, grows, and ends at their size.
func TestWatchedFiles(t *testing.T) {
	files := fstest.MapFS{"a": {Data: make([]byte, 3*watchedStep/2)}, "b": {Data: make([]byte, 1500)}, "below/c": {Data: make([]byte, 5000)}}
	total := (3*watchedStep/2 + 1500 + 1023) / 1024 // folders are not counted
	var told []int
	watched := watchFiles(files, func(done, all int) {
		if all != total {
			t.Errorf("%d of %d KiB, want %d", done, all, total)
		}
		told = append(told, done)
	})
	for _, name := range []string{"a", "b"} {
		f, err := watched.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, f); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if want := []int{watchedStep / 1024, total}; !slices.Equal(slices.Compact(told), want) {
		t.Errorf("told %v, want %v", told, want)
	}
	if _, err := watched.Open("nothing"); err == nil {
		t.Error("a file that is not there was opened")
	}
}
