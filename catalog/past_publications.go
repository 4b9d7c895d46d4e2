package catalog

import (
	"cmp"
	"context"
	"crypto/rand"
	dbsql "database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/fault"
)

// A pastPublication is what the catalog remembers of a release that is or was public.
type pastPublication struct {
	id, release, table     int64
	database, name, method string
	releaseName            string
	version                int
	columns                []string
	published, dropped     string // a time; dropped is "" while the release is public
	sketch                 []byte
}

// sketchKey is the setting with the secret key for hashing records.
const sketchKey = "publications_key"

func (o *pastPublication) source() origin {
	return origin{table: o.table, name: tableName{o.database, o.name}}
}

// refusal names the release in the way. Anyone who may read the raw table knows the release's
// name, table and columns.
func (o *pastPublication) refusal(copies string) error {
	state := "has the public release"
	if o.dropped != "" {
		state = "had a public release until " + o.dropped[:min(len(o.dropped), len(time.DateOnly))] + ":"
	}
	subject := fmt.Sprintf("table %s.%s %s", o.database, o.name, state)
	instead := ""
	if copies != "" {
		subject = fmt.Sprintf("%s. Table %s", copies, subject[len("table "):])
		if o.dropped == "" {
			instead = fmt.Sprintf("Publish table %s.%s with replace=true in its place, say ", o.database, o.name)
		}
	}
	if instead == "" {
		instead = "Say "
	}
	return &anonymize.DataError{Reason: fmt.Sprintf(
		"%s %q (%s), and two independent releases of the same records expose them, also to anybody who kept the first one. "+
			"%sprivate=true for a release that only you can read, or allow_composition=true to accept the risk",
		subject, o.releaseName, o.method, instead)}
}

// pastPublications returns the committed ones, even if the session has an older snapshot.
func (r *Releases) pastPublications(ctx *sql.Context) (past []*pastPublication, err error) {
	err = r.catalog.View(ctx.Context, func(tx *dbsql.Conn) error {
		past, err = readPublications(ctx, tx)
		return err
	})
	// A refusal prefers to name a release that is still public.
	slices.SortStableFunc(past, func(a, b *pastPublication) int {
		return cmp.Compare(min(len(a.dropped), 1), min(len(b.dropped), 1))
	})
	return past, err
}

func readPublications(ctx context.Context, tx *dbsql.Conn) (past []*pastPublication, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT id, release_id, table_id, database, name, release, version, method, columns, published, dropped, sketch
		FROM publications ORDER BY id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		o, columns := &pastPublication{}, ""
		err := rows.Scan(&o.id, &o.release, &o.table, &o.database, &o.name, &o.releaseName, &o.version, &o.method,
			&columns, &o.published, &o.dropped, &o.sketch)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(columns), &o.columns); err != nil {
			return nil, fault.Damaged("what is remembered of release "+o.releaseName, err)
		}
		past = append(past, o)
	}
	return past, rows.Err()
}

// recordPublication remembers a public release in the transaction that stores it. What it
// replaces is no longer public.
func recordPublication(ctx context.Context, tx *dbsql.Conn, record *ReleaseRecord, sketched []byte) error {
	if record.Private {
		return nil
	}
	columns, err := json.Marshal(record.Columns)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO publications (release_id, table_id, database, name, release, version, method, columns, published, sketch)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		record.ID, record.SourceTable, record.Database, record.Table, record.Name, record.Version, record.Method, string(columns),
		record.Published.Format(time.RFC3339), sketched)
	return err
}

// continuePublication moves a remembered publication to the refreshed release: its versions are
// one publication, whose sequence has its own promises.
func continuePublication(ctx context.Context, tx *dbsql.Conn, old int64, record *ReleaseRecord) error {
	_, err := tx.ExecContext(ctx, `UPDATE publications SET release_id = ?, version = ? WHERE release_id = ?`, record.ID, record.Version, old)
	return err
}

// endPublications remembers that releases are no longer public.
func endPublications(ctx context.Context, tx *dbsql.Conn, ended []*Published) error {
	now := time.Now().UTC().Format(time.RFC3339)
	for _, p := range ended {
		if _, err := tx.ExecContext(ctx, `UPDATE publications SET dropped = ? WHERE release_id = ? AND dropped = ''`, now, p.record.ID); err != nil {
			return err
		}
	}
	return nil
}

// secret returns a random setting and creates it on first use.
func (c *Catalog) secret(ctx context.Context, name string) (key []byte, err error) {
	err = c.Update(ctx, func(tx *dbsql.Conn) error {
		err := tx.QueryRowContext(ctx, "SELECT value FROM settings WHERE name = ?", name).Scan(&key)
		if !errors.Is(err, dbsql.ErrNoRows) {
			return err
		}
		key = make([]byte, sha256Bytes)
		if _, err := rand.Read(key); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO settings (name, value) VALUES (?, ?)", name, key)
		return err
	})
	return key, fault.Cannot("read setting "+name, err)
}

const sha256Bytes = 32
