package catalog

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
)

// An imported release was made elsewhere and has no raw table here. It answers as it does where
// it was made. What needs the raw table is refused: ANON_ACTUAL, evaluate, refresh. It belongs
// to the accounts that may import.
//
// Importing reveals no more than the imported files, so the rule of one public grouping per
// table is not applied again: it was applied where the files were made.

// Importers sets who may import releases, and drop and replace imported ones. Nobody may before
// it is called.
func (r *Releases) Importers(may func(ctx *sql.Context) bool) { r.importers = may }

func (r *Releases) mayImport(ctx *sql.Context) bool { return r.importers != nil && r.importers(ctx) }

// errImported reports that there is no raw table.
func errImported(record *ReleaseRecord, refused string) error {
	return &anonymize.DataError{Reason: fmt.Sprintf("release %s was imported: its raw table is not here, so that %s", record.Name, refused)}
}

// fragmentName matches valid names of an imported release's fragments.
var fragmentName = regexp.MustCompile(`^[0-9A-Za-z_$]{1,60}$`)

// valuesPerLook is the number of values between two checks of the context.
const valuesPerLook = 4096

// longestIdentifier is MySQL's limit, in characters; longestTypeText limits the work of the
// parser on a type.
const longestIdentifier, longestTypeText = 64, 1 << 16

// Import stores a release that was made elsewhere, in one transaction; the caller has verified
// it. It keeps the record's version and times, because the version determines the preview.
// replace allows it to replace an imported release with the same name.
func (r *Releases) Import(
	ctx *sql.Context, record ReleaseRecord, release *anonymize.Release, completion *anonymize.Completion, replace bool,
) (*ReleaseRecord, error) {
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	record.ID, record.SourceTable, record.Database, record.Table, record.SourceVersion = 0, 0, "", "", 0
	record.Imported, record.Recomputed, record.Private, record.Live, record.Facts = true, true, false, nil, nil
	record.describe(release)
	a, err := r.Admit(ctx, &Publication{Record: record, Release: release, Completion: completion, Replace: replace})
	if err != nil {
		return nil, err
	}
	if err := checkImported(ctx, &record, release); err != nil {
		return nil, err
	}
	if _, err := r.newPublished(&record); err != nil {
		return nil, &anonymize.DataError{Reason: "the release cannot be shown: " + err.Error()}
	}
	if err := r.storeAdmitted(ctx, a, &record); err != nil {
		return nil, err
	}
	return &record, nil
}

// checkImported verifies what holds for releases made here: valid SQL names, storable types,
// and values of these types.
func checkImported(ctx *sql.Context, record *ReleaseRecord, release *anonymize.Release) error {
	for _, f := range release.Fragments {
		if !fragmentName.MatchString(f.Name) || len(record.Name)+1+len(f.Name) > longestIdentifier {
			return &anonymize.DataError{Reason: fmt.Sprintf("fragment %.80q: the name published.%s_%.80s is none that a table may have", f.Name, record.Name, f.Name)}
		}
		for _, c := range f.Columns {
			if err := checkImportedColumn(ctx, c); err != nil {
				return &anonymize.DataError{Reason: fmt.Sprintf("column %.80q of fragment %s: %v", c.Name, f.Name, err)}
			}
		}
	}
	return ctx.Err()
}

func checkImportedColumn(ctx *sql.Context, c *anonymize.FragmentColumn) error {
	if !utf8.ValidString(c.Name) || utf8.RuneCountInString(c.Name) > longestIdentifier || strings.TrimSpace(c.Name) != c.Name ||
		strings.ContainsFunc(c.Name, func(r rune) bool { return r < ' ' }) {
		return errors.New("a column cannot have this name")
	}
	typ, err := importedType(c.Type)
	if err != nil {
		return err
	}
	codec := coding.New(typ)
	for i, v := range c.Dictionary {
		if i%valuesPerLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		boxed, err := coding.SQLValue(typ, v)
		if err != nil {
			return fmt.Errorf("%.80s is no value of type %s", v, c.Type)
		}
		if codec.Kind == coding.KindJSON {
			continue // documents have several spellings
		}
		if back, err := coding.ValueOf(typ, boxed); err != nil || back != v {
			return fmt.Errorf("%.80s is no value of type %s", v, c.Type)
		}
	}
	return nil
}

// importedType parses a type that another program wrote.
func importedType(text string) (typ sql.Type, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%.80q is not a column type", text)
		}
	}()
	if len(text) > longestTypeText {
		return nil, errors.New("its type has too long a text")
	}
	if typ, err = coding.ParseType(text); err != nil {
		return nil, fmt.Errorf("%.80q is not a column type", text)
	}
	if coding.KindOf(typ) == coding.KindUnsupported || coding.TypeText(typ) != text {
		return nil, fmt.Errorf("%.80q is no column type as this program writes it", text)
	}
	return typ, nil
}
