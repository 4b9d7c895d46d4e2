package maintenance_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/catalog/directory"
	"github.com/anonsql/anonsql/testsize"
)

// The ways in which a file is damaged.
var damages = []struct {
	name string
	do   func(data []byte, random *rand.Rand) []byte
}{
	{"pages of random bytes", func(data []byte, random *rand.Rand) []byte {
		for range 1 + random.IntN(4) {
			fillRandom(page(data, random), random)
		}
		return data
	}},
	{"a page of zeros", func(data []byte, random *rand.Rand) []byte {
		clear(page(data, random))
		return data
	}},
	{"single bytes", func(data []byte, random *rand.Rand) []byte {
		for range 1 + random.IntN(200) {
			data[random.IntN(len(data))] = byte(random.Uint32())
		}
		return data
	}},
	{"bytes of one page", func(data []byte, random *rand.Rand) []byte {
		p := page(data, random)
		for range 1 + random.IntN(20) {
			p[random.IntN(len(p))] ^= 1 << random.IntN(8)
		}
		return data
	}},
	{"two pages exchanged", func(data []byte, random *rand.Rand) []byte {
		a, b := page(data, random), page(data, random)
		for i := range a {
			a[i], b[i] = b[i], a[i]
		}
		return data
	}},
	{"cut short", func(data []byte, random *rand.Rand) []byte { return data[:random.IntN(len(data))] }},
}

const pageBytes = 4096

func page(data []byte, random *rand.Rand) []byte {
	at := random.IntN(len(data)/pageBytes) * pageBytes
	return data[at : at+pageBytes]
}

func fillRandom(p []byte, random *rand.Rand) {
	for i := range p {
		p[i] = byte(random.Uint32())
	}
}

// 480 damaged files are opened, read and written completely: no panic, no endless loop, every refusal reports the
// damage and the way out, and a catalog that the check finds whole refuses nothing.
func TestDamagedFiles(t *testing.T) {
	b := stocked(t)
	whole, err := os.ReadFile(filepath.Join(b.Dir, directory.DatabaseFile))
	if err != nil {
		t.Fatal(err)
	}
	refused, found, unnoticed := make(map[string]int), make(map[string]int), make(map[string]int)
	for seed := range testsize.Levels[uint64](16, 48, 480) {
		random := rand.New(rand.NewPCG(seed, 1))
		damage := damages[seed%uint64(len(damages))]
		name := fmt.Sprintf("%s, seed %d", damage.name, seed)
		dir := t.TempDir()
		data := damage.do(append([]byte{}, whole...), random)
		if err := os.WriteFile(filepath.Join(dir, directory.DatabaseFile), data, 0o600); err != nil {
			t.Fatal(err)
		}
		report := catalogtest.Checked(t, dir)
		errs := useEverything(t, dir)
		switch {
		case report.Err() == nil && len(errs) > 0:
			t.Errorf("%s: the check finds nothing, but: %v", name, errs[0])
		case len(errs) > 0:
			refused[damage.name]++
		case report.Err() != nil:
			found[damage.name]++
		default:
			unnoticed[damage.name]++
		}
		for _, err := range errs {
			// The engine's errors of INSERT hide their cause.
			if text := err.Error(); !strings.Contains(text, "damaged") || !strings.Contains(text, "anonsql check") && !strings.Contains(text, "anonsql restore") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, damage := range damages {
		t.Logf("%-22s %3d refused, %3d more found by the check, %3d without effect or a value in the place of another", damage.name, refused[damage.name], found[damage.name], unnoticed[damage.name])
	}
}

// useEverything opens a data directory, reads everything and writes into its tables. It returns the refusals.
func useEverything(t *testing.T, dir string) (errs []error) {
	t.Helper()
	c, err := catalog.Open(dir)
	if err != nil {
		return []error{err}
	}
	b := &catalogtest.Bench{T: t, Dir: dir, Catalog: c}
	defer c.Close()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("panic: %v", r)
		}
	}()
	b.Attach()
	r, err := catalog.OpenReleases(c, func(*sql.Context, string, string) bool { return true })
	if err != nil {
		return []error{err}
	}
	s := b.Client()
	defer s.Session.SessionEnd()
	s.Serve(r)
	s.Session.SetCurrentDatabase("d")
	for _, statement := range []string{
		"SELECT * FROM d.t", "SELECT * FROM d.u", "SELECT * FROM d.u WHERE b = 7.25", "SELECT * FROM d.v", "SELECT * FROM anonsql.releases",
		"SELECT * FROM published.p", "SELECT * FROM published.p_f0", "SELECT * FROM published.p_f1", "SELECT * FROM published.p_gid", "SELECT * FROM published.p_v1",
		"INSERT INTO d.u VALUES ('zz', 1, NULL, NULL)", "UPDATE d.t SET q = q + 1", "DELETE FROM d.u WHERE b < 3", "CREATE TABLE d.w (a INT)", "DROP TABLE d.u",
	} {
		if _, err := s.Try(statement); err != nil && !lostName(err) {
			errs = append(errs, fmt.Errorf("%s: %w", statement, err))
		}
	}
	if _, err := r.Changes(s.Context(), "p"); err != nil && !lostName(err) && !strings.Contains(err.Error(), "there is no release") {
		errs = append(errs, err)
	}
	return errs
}

// lostName: another name, row or view text overwrote one. A reader cannot notice; the check compares duplicated data.
func lostName(err error) bool {
	for _, sign := range []string{"could not be found in any table in scope", "references invalid table", "does not exist any more", "is not there any more", "does not follow its table any more", "syntax error at position"} {
		if strings.Contains(err.Error(), sign) {
			return true
		}
	}
	return sql.ErrTableNotFound.Is(err) || sql.ErrDatabaseNotFound.Is(err)
}
