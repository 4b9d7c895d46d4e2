package functions

import (
	"context"
	"slices"
	"strings"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/jobs"
)

// A phase may learn its length while it runs, and restarts when another begins. SHOW PROCESSLIST shows its current share.
func TestProgressOfAPhaseThatLearnsItsLength(t *testing.T) {
	newBench(t) // an engine: the list counts in its variables
	list := sqle.NewProcessList()
	session := sql.NewBaseSessionWithClientServer("", sql.Client{User: "root", Address: "localhost"}, 1)
	list.AddConnection(session.ID(), "localhost")
	list.ConnectionReady(session)
	ctx, err := list.BeginQuery(sql.NewContext(context.Background(), sql.WithSession(session), sql.WithPid(1), sql.WithProcessList(list)), "CALL long()")
	if err != nil {
		t.Fatal(err)
	}
	kept := &jobs.Jobs{}
	progress := newProgress(ctx, kept.Start("root", "import", "d", "t"))
	for _, c := range []struct {
		phase       string
		done, total int
		want        string
	}{
		{"read", 0, 1, "read (0/1 partitions)"},
		{"read", 30, 300, "read (30/300 partitions)"},
		{"read", 150, 300, "read (150/300 partitions)"},
		{"read", 160, 200, "read (160/200 partitions)"},
		{"write", 1, 4, "write (1/4 partitions)"},
		{"read", 1, 2, "read (1/2 partitions)"},
	} {
		progress(c.phase, c.done, c.total)
		var shown []string
		for _, p := range list.Processes() {
			for _, of := range p.Progress {
				shown = append(shown, of.String())
			}
		}
		if !slices.Equal(shown, []string{c.want}) {
			t.Errorf("%s %d of %d: the state is %q, want %q", c.phase, c.done, c.total, shown, c.want)
		}
		if job := kept.All()[0]; job.Phase != c.phase || job.Done != c.done || job.Total != c.total {
			t.Errorf("%s %d of %d: the job is %+v", c.phase, c.done, c.total, job)
		}
	}
}

// An imported release has no raw table: anonsql.jobs lists work on it by its name, for those who see imports, never for analysts.
func TestJobsOfAnImportedRelease(t *testing.T) {
	here, there := newBench(t), newBench(t)
	there.run("courier", "CALL import_release('"+zipped(t, here.exported())+"')")
	there.run("root", "CALL export_release('ill'); CALL fit_release('ill', 'misfit=false')")
	const question = "SELECT kind, subject, phase, status FROM anonsql.jobs WHERE kind IN ('export', 'fit')"
	if rows := there.run("root", question).lines(); len(rows) != 2 || !strings.HasPrefix(rows[0], "export|data package.ill|write|done") || !strings.HasPrefix(rows[1], "fit|data package.ill|") {
		t.Errorf("root sees %q", rows)
	}
	for _, user := range []string{"analyst", "courier", "clerk"} {
		if rows := there.run(user, question).lines(); len(rows) > 0 {
			t.Errorf("%s sees %q", user, rows)
		}
	}
}
