package publication

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/anonsql/anonsql/engine"
)

// ofAttempt matches the names of attempts' tables.
var ofAttempt = regexp.MustCompile("^" + prefix + "([a-z0-9]+)_([a-z0-9]+)$")

// validName matches valid names of attempts.
var validName = regexp.MustCompile("^[a-z0-9]+$")

// ofRelation matches the fragments of a release, and what else is kept with them.
var ofRelation = regexp.MustCompile("^(qi[0-9]+(v[0-9]+)?|sa|imputed)$")

// RelationName names a fragment of an attempt.
func RelationName(attempt, fragment string) string { return prefix + attempt + "_" + fragment }

// ValidName reports whether an attempt may have this name: lower-case letters and digits.
func ValidName(name string) bool { return validName.MatchString(name) }

// IsRelation reports whether a fragment may have this name: no table that links records to groups has it.
func IsRelation(fragment string) bool { return ofRelation.MatchString(fragment) }

// Sweep drops what killed attempts left. For the attempts that mine names, it drops all tables that link records to groups,
// and relations unless kept names the attempt. It leaves other tables. mine must not name a running attempt.
// Sweep calls mine and then kept after listing the tables. It returns the names of the dropped tables.
func (e *Engine) Sweep(ctx context.Context, mine, kept func(name string) bool) (dropped []string, err error) {
	var failed []error
	for _, schema := range []string{e.Private, e.Published} {
		var names []string
		text, column := e.Dialect.Tables(e.Catalog, schema)
		if err := e.Conn.Query(ctx, text, func(row []any) error {
			names = append(names, fmt.Sprint(row[column]))
			return nil
		}); isNoSchema(err) {
			continue // nobody has published there
		} else if err != nil {
			return dropped, err
		}
		for _, name := range names {
			of := ofAttempt.FindStringSubmatch(name)
			if of == nil || !mine(of[1]) || IsRelation(of[2]) && kept(of[1]) {
				continue
			}
			if _, err := e.Conn.Exec(ctx, "DROP TABLE IF EXISTS "+e.Dialect.Name(e.Catalog, schema, name)); err != nil {
				failed = append(failed, err)
				continue
			}
			dropped = append(dropped, name)
		}
	}
	return dropped, errors.Join(failed...)
}

// isNoSchema reports the error for a missing schema.
func isNoSchema(err error) bool {
	told := (*engine.Error)(nil)
	return errors.As(err, &told) && told.Name == "SCHEMA_NOT_FOUND"
}
