package server_test

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// unpack writes a data directory that an earlier version of the server made. It has a table of people with an index, a taxonomy and changes since it was
// published, a table of notes, a view, an account, and the releases people (slppa), classes (mondrian, private) and follows (drasl, private).
func unpack(t *testing.T, archive string) (directory string) {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	directory = t.TempDir()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return directory
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(r)
		if err == nil {
			err = os.WriteFile(filepath.Join(directory, filepath.Base(h.Name)), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestUpgrade: this server opens what an earlier one made, and answers what that one answered. What it changes stays when it starts again.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	directory := unpack(t, "testdata/data-0.1.tar.gz")
	s := servertest.Start(t, server.Config{DataDir: directory, Extend: server.Product})
	root := s.Open(t, servertest.Root)
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"SELECT COUNT(*) FROM census.people", []string{"620"}},
		{"SELECT * FROM census.notes ORDER BY id", []string{"1|ä|1.50|2024-01-02 03:04:05", "2|NULL|NULL|NULL"}},
		{"SELECT * FROM census.v ORDER BY id", []string{"1", "2"}},
		{"SELECT name, status, method FROM anonsql.releases ORDER BY name", []string{"classes|private|mondrian", "follows|private|drasl", "people|public|slppa"}},
		{"SELECT COUNT(*) FROM published.people WHERE age > 40 AND disease = 'Anxiety'", []string{"29.666666666666668"}},
		{"SELECT COUNT(*) FROM published.people WHERE age > 40 AND disease = 'Cancer'", []string{"18.333333333333332"}},
		{"SELECT COUNT(*), AVG(age) FROM published.classes WHERE sex = 'Female'", []string{"305|49.71147540983606"}},
		{"SELECT COUNT(*) FROM published.follows WHERE disease = 'Asthma'", []string{"43"}},
		{"SELECT achieved FROM ANON_PRIVACY(people) WHERE guarantee = 'beta'", []string{"0.3333333333333333"}},
		{"SELECT COUNT(*) FROM information_schema.statistics WHERE index_name = 'byage'", []string{"1"}},
	} {
		if got := fetchTexts(t, root, c.query); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.query, got, c.want)
		}
	}
	ann := s.Open(t, servertest.Account{User: "ann", Password: "another-secret-9"})
	if got := fetchTexts(t, ann, "SELECT COUNT(*) FROM published.people"); !slices.Equal(got, []string{"600"}) {
		t.Errorf("the analyst counts %q", got)
	}
	servertest.Exec(t, root, "CALL set_taxonomy('census.people', 'age', 'drop=true')", "CALL refresh_release('follows')", "CALL fit_release('people')")
	s.Stop(t)
	s = servertest.Start(t, server.Config{DataDir: directory, Extend: server.Product})
	root = s.Open(t, servertest.Root)
	if got := fetchTexts(t, root, "SELECT version, `rows` FROM anonsql.releases WHERE name = 'follows'"); !slices.Equal(got, []string{"2|620"}) {
		t.Errorf("after the refresh the release is %q", got)
	}
}
