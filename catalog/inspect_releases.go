package catalog

import (
	"context"
	dbsql "database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/misfit"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/raw"
)

// An inspection examines the releases of a file that no server has open.
type inspection struct {
	ctx      context.Context
	conn     *dbsql.Conn
	tables   *raw.Inspection
	report   *fault.Report
	progress fault.Progress
}

// InspectReleases reads every release, and what is remembered of public ones, and reports what
// is wrong. The raw tables must have been inspected.
func InspectReleases(ctx context.Context, conn *dbsql.Conn, tables *raw.Inspection, report *fault.Report, progress fault.Progress) error {
	c := &inspection{ctx, conn, tables, report, progress}
	for _, step := range []func() error{c.releases, c.publications, c.spendings, c.orphans} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// releases reads every release: its description, its fragments and its private side, and checks
// that they agree.
func (c *inspection) releases() error {
	records, err := c.records()
	if err != nil {
		return err
	}
	names := make(map[string]string)
	for i, record := range records {
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		c.report.Releases++
		problem := c.release(record)
		if problem == "" {
			problem = c.live(record)
		}
		for _, name := range record.RelationNames() {
			if other, taken := names[strings.ToLower(name)]; taken && problem == "" {
				problem = fmt.Sprintf("it has the relation published.%s together with release %s", name, other)
			}
			names[strings.ToLower(name)] = record.Name
		}
		if problem != "" {
			c.report.Find(fault.DoRepublish(record.Name), "release %s: %s", record.Name, problem)
		}
		c.progress.Report("reading the releases", int64(i+1), int64(len(records)))
	}
	return nil
}

// records reads the descriptions one by one, so that a damaged one does not hide others.
func (c *inspection) records() (records []*ReleaseRecord, err error) {
	rows, err := c.conn.QueryContext(c.ctx, "SELECT id, name, record FROM releases ORDER BY id")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		record, name, text := &ReleaseRecord{}, "", ""
		if err := rows.Scan(&record.ID, &name, &text); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(text), record); err != nil {
			c.report.Find(fault.DoRestore, "release %s: its description is damaged: %v", name, err)
			continue
		}
		if !strings.EqualFold(name, record.Name) {
			c.report.Find(fault.DoRestore, "release %s: its description is that of %s", name, record.Name)
			continue
		}
		records = append(records, record)
	}
	return records, rows.Err()
}

// release compares the fragments of a release with its description.
func (c *inspection) release(record *ReleaseRecord) string {
	if record.Place == nil { // others are in an engine, which is not asked here
		if problem := c.fragments(record); problem != "" {
			return problem
		}
	}
	for _, name := range record.Columns {
		if _, ok := record.column(name); !ok {
			return fmt.Sprintf("column %s is in no fragment", name)
		}
	}
	if _, err := (&Releases{catalog: &Catalog{}}).newPublished(record); err != nil {
		return err.Error()
	}
	return ""
}

// fragments reads the stored parts of a release, and its completed tables.
func (c *inspection) fragments(record *ReleaseRecord) string {
	release, err := readFragments(c.ctx, c.conn, record)
	if err != nil {
		return err.Error()
	}
	if release.Groups() != record.Groups {
		return fmt.Sprintf("it has %d groups, and should have %d", release.Groups(), record.Groups)
	}
	for i, described := range record.Fragments {
		if n := release.Fragments[i].Tuples(); n != described.Tuples {
			return fmt.Sprintf("fragment %s has %d tuples, and should have %d", described.Name, n, described.Tuples)
		}
	}
	if record.Completion != nil {
		completion, err := readCompletion(c.ctx, c.conn, record, release)
		if err == nil {
			err = completion.Check(c.ctx, release)
		}
		if err == nil {
			var measured *misfit.Misfit
			if measured, err = record.decodeMisfit(); measured != nil {
				err = measured.Check(release)
			}
		}
		if err != nil {
			return "its completed tables: " + err.Error()
		}
	}
	return ""
}

// live compares the private side of a release that follows its table with the release, and
// checks that the table's changes are recorded.
func (c *inspection) live(record *ReleaseRecord) string {
	if !record.Follows() {
		return ""
	}
	private, err := readLive(c.ctx, c.conn, record.ID)
	if err != nil {
		return "its private side: " + err.Error()
	}
	live := private.live
	if (private.key != nil) != raw.IsMirror(record.Database) {
		return "its private side has a key of a table of another server, or lacks it"
	}
	if problem := record.disagrees(live); problem != "" {
		return problem
	}
	sizes := make([]uint32, record.Groups)
	for _, group := range live.Group {
		if group != anonymize.Waiting {
			sizes[group]++
		}
	}
	p := &partReader{ctx: c.ctx, tx: c.conn, release: record.ID}
	for g, size := range p.codes(-1, -1, "sizes") {
		if g >= len(sizes) || sizes[g] != size {
			return fmt.Sprintf("group %d has another size in its private side", g)
		}
	}
	if p.err != nil {
		return p.err.Error()
	}
	names := make([]string, len(live.Columns))
	for i, column := range live.Columns {
		names[i] = column.Name
	}
	return c.tables.Lineage(record.Live.Lineage, names)
}

// disagrees says in what the private side of a release contradicts its description; "" if they
// agree.
func (r *ReleaseRecord) disagrees(live *anonymize.Live) string {
	if r.Live == nil {
		return "it has a private side, and should have none"
	}
	waiting, forged := live.Count()
	if live.Records()-waiting != r.Rows || waiting != r.Live.Waiting || forged != r.Forged {
		return fmt.Sprintf("its private side has %d records, %d of them waiting and %d counterfeits; the release %d, %d and %d",
			live.Records(), waiting, forged, r.Rows+r.Live.Waiting, r.Live.Waiting, r.Forged)
	}
	for i, group := range live.Group {
		if group != anonymize.Waiting && int(group) >= r.Groups {
			return fmt.Sprintf("record %d of its private side is in group %d of %d", i, group, r.Groups)
		}
	}
	for _, c := range live.Released() {
		if described, ok := r.column(c.Name); !ok || described.Type != c.Type {
			return fmt.Sprintf("its private side has a column %q of type %q, which it does not publish", c.Name, c.Type)
		}
	}
	return ""
}

// publications reads what is remembered of public releases. Every release that is public now
// must be remembered; otherwise it could be dropped and published anew.
func (c *inspection) publications() error {
	past, err := readPublications(c.ctx, c.conn)
	if err != nil {
		c.report.Find(fault.DoRestore, "what is remembered of public releases cannot be read: %v", err)
		return nil
	}
	remembered := make(map[int64]bool)
	for _, o := range past {
		remembered[o.release] = remembered[o.release] || o.dropped == ""
		if err := checkSketch(o.sketch); err != nil {
			c.report.Find(fault.DoRestore, "what is remembered of release %s: %v", o.releaseName, err)
		}
	}
	records, err := readRecords(c.ctx, c.conn)
	if err != nil {
		return nil // releases has reported it
	}
	for _, record := range records {
		if !record.Private && !remembered[record.ID] {
			c.report.Find(fault.DoRepublish(record.Name), "release %s is public, and it is not remembered that it is", record.Name)
		}
	}
	return nil
}

// spendings reads what releases have spent.
func (c *inspection) spendings() error {
	if _, err := readSpendings(c.ctx, c.conn); err != nil {
		c.report.Find(fault.DoRestore, "what releases have spent of their tables' privacy cannot be read: %v", err)
	}
	return nil
}

// orphans finds data of releases that do not exist.
func (c *inspection) orphans() error {
	for _, part := range []struct{ table, what string }{
		{"release_parts", "fragments"}, {"live_state", "private sides"}, {"evaluations", "evaluations"},
	} {
		var n int
		err := c.conn.QueryRowContext(c.ctx, "SELECT COUNT(*) FROM "+part.table+" WHERE release_id NOT IN (SELECT id FROM releases)").Scan(&n)
		if err != nil {
			return err
		}
		if n > 0 {
			c.report.Find(fault.DoReport, "%d stored parts of %s belong to no release", n, part.what)
		}
	}
	return nil
}
