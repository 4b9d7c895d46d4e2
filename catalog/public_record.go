package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/quoting"
)

// Stored data of a release is of two kinds. Some of it follows from the published relations and the parameters: everyone who may read the release may
// know it. The rest was computed with the raw table, or says something about that table: it is only for accounts that may read the table.
// [ReleaseRecord.Public] alone draws the line, when a record is read, so it also holds for releases stored by earlier versions of the program.

// An Exception is something that readers of a release see although the server computed it with the raw table.
type Exception struct {
	Name string
	// Bits is the greatest number of bits that it reveals about the table, at most 3.
	Bits   int
	Reason string
}

// Exceptions is the complete list. SECURITY.md has the same one.
func Exceptions() []Exception {
	return []Exception{
		{"width of intervals of COUNT", 3, "analysts need intervals that cover; the width is one of 8, chosen by the errors of hundreds of random queries"},
		{"width of intervals of SUM", 3, "as for COUNT"},
		{"width of intervals of AVG", 3, "as for COUNT"},
		{"deviation of a weight from its class", 3, "analysts need intervals of weighted figures that cover; it is one of 8, chosen by all weights"},
		{"deviation of a sum of weights", 3, "as for a weight; chosen by the sums of weights for single values; with `model_epsilon`, not for sensitive values"},
		{"status 'public, composed'", 1, "readers must know that another grouping of the same records was public before, or still is; a copy is recognised by its records"},
	}
}

// Public returns what every reader of the release may know. Fields not named here are for accounts that may read the raw table.
func (r *ReleaseRecord) Public() *ReleaseRecord {
	return &ReleaseRecord{
		Name: r.Name, Version: r.Version, Method: r.Method, Parameters: r.Parameters,
		QuasiIdentifiers: r.QuasiIdentifiers, Sensitive: r.Sensitive, Unit: r.Unit, Weight: r.Weight.Published(),
		Columns: r.Columns, Fragments: r.Fragments,
		Rows: r.Rows, Groups: r.Groups, Forged: r.Forged, MovedDays: r.MovedDays, Partial: r.Partial, Model: r.Model, Completion: r.Completion,
		Imported: r.Imported, Recomputed: r.Recomputed, Private: r.Private, Composed: r.Composed, Published: r.Published,
		Guarantees:  publicGuarantees(r.Guarantees),
		Calibration: publicWidths(r.Calibration), // an exception
	}
}

// chosen are the method's parameters, and the other options of its CALL that the release shows anyway.
func (r *ReleaseRecord) chosen() map[string]string {
	all := map[string]string{"unit": quoting.List(r.Unit), "weight": r.Weight.Name(), "not_sensitive": quoting.List(anonymize.NotSensitiveOf(r.Guarantees))}
	maps.Copy(all, r.Parameters)
	for _, p := range privacy.Asked(r.Guarantees) {
		if all[p.Guarantee] = p.Bound.Text(); p.Threshold.Num > 0 {
			all[p.Guarantee] += "," + p.Threshold.Text()
		}
	}
	numbers := map[string]anonymize.Ratio{"shift": anonymize.NewRatio(uint64(r.MovedDays), 1)}
	if m := r.Model; m != nil {
		numbers["model_epsilon"], numbers["model_delta"] = m.Epsilon, m.Delta
		numbers["model_least"], numbers["max_records"] = anonymize.NewRatio(uint64(m.Least), 1), anonymize.NewRatio(uint64(m.Records), 1)
		all["model"] = map[bool]string{false: "counts"}[m.Alone]
	}
	for name, x := range numbers {
		if x.Num > 0 {
			all[name] = x.Text()
		}
	}
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

// publicWidths returns the widths of intervals, out of everything that a calibration measured. Unreadable data stays unreadable.
func publicWidths(calibration json.RawMessage) json.RawMessage {
	widths, err := interval.Public(calibration)
	if err != nil {
		return json.RawMessage(`"damaged"`)
	}
	return widths
}

// publicGuarantees returns those that can be recomputed from the relations.
func publicGuarantees(guarantees []anonymize.Guarantee) []anonymize.Guarantee {
	return slices.DeleteFunc(slices.Clone(guarantees), func(g anonymize.Guarantee) bool { return !privacy.Recomputable(g.Name) })
}

// Record returns the public description of the release. The caller must not change it.
func (p *Published) Record() *ReleaseRecord { return p.public }

// Source returns the raw table's name at the time of publication, for the list of jobs. It is not for readers of the release.
func (p *Published) Source() (database, table string) { return p.record.Database, p.record.Table }

// RecordFor returns the description that the session's account may know: everything stored if it may read the raw table, else the public part. The
// caller must not change it.
func (r *Releases) RecordFor(ctx *sql.Context, p *Published) *ReleaseRecord {
	if r.mayReadSource(ctx, p.record) {
		return p.record
	}
	return p.public
}

// MadeBy reports whether the session's account published the release.
func (p *Published) MadeBy(ctx *sql.Context) bool {
	return p.record.Maker != nil && *p.record.Maker == *AccountOf(ctx)
}

// Kept says where the owner's server keeps the relations, too; nil for nowhere. It is for accounts that may drop them.
func (p *Published) Kept() *source.Kept { return p.record.Kept }

// OwnerOf reports whether the session may read the raw table of a release, and so may compare with it.
func (r *Releases) OwnerOf(ctx *sql.Context, p *Published) bool {
	return r.mayReadSource(ctx, p.record)
}

// KeptBack returns a note that an answer may cover fewer records than the table has; "" if it covers all.
func (r *ReleaseRecord) KeptBack() string {
	if !r.Partial {
		return ""
	}
	return "about the records that were published: left_out= or max_records= may have kept others back"
}

// MovedDates returns a note on the columns with moved dates that an answer reads ([ReleaseRecord.MovedDays]); "" for none.
func (r *ReleaseRecord) MovedDates(reads func(column string) bool) string {
	var names []string
	for _, f := range r.Fragments {
		for _, c := range f.Columns {
			if r.MovedDays > 0 && coding.IsDates(c.Type) && reads(c.Name) && !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("dates of %s are moved by up to %d days, each person's by one number: figures, intervals and bounds are of the moved dates",
		strings.Join(names, ", "), r.MovedDays)
}
