package datapackage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
)

// Read reads the package in files and verifies it: hashes, counts, and every guarantee that the
// fragments determine. A defect is an *anonymize.DataError that names the file. limits and the
// files' sizes bound the memory.
func Read(ctx context.Context, files fs.FS, limits Limits) (*Package, error) {
	p, err := read(ctx, files, limits.withDefaults())
	return p, wrapPlace("the package is refused", err)
}

func read(ctx context.Context, files fs.FS, limits Limits) (*Package, error) {
	d, err := readDescriptor(files)
	if err != nil {
		return nil, err
	}
	in := &reader{files: files, limits: limits, resources: make(map[string]*resource), order: anonymize.Compare}
	if err := in.list(d); err != nil {
		return nil, err
	}
	p, err := d.About.metadata(limits)
	if err != nil {
		return nil, err
	}
	older := &reader{files: files, limits: limits, resources: in.resources, order: olderOrder}
	if p.Release, err = in.release(ctx, d.About); err != nil && in.isTied {
		if r, failure := older.release(ctx, d.About); failure == nil {
			p.Release, err = r, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	return p, ctx.Err()
}

func readDescriptor(files fs.FS) (*descriptor, error) {
	f, err := files.Open(DescriptorName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errBadPackage("it has no %s: name the folder that CALL export_release wrote", DescriptorName)
	}
	if err != nil {
		return nil, errBadPackage("%s cannot be read: %v", DescriptorName, reasonOf(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, descriptorBytes+1))
	switch {
	case err != nil:
		return nil, errBadPackage("%s cannot be read: %v", DescriptorName, reasonOf(err))
	case len(text) > descriptorBytes:
		return nil, errBadPackage("%s has more than %d bytes", DescriptorName, descriptorBytes)
	case !utf8.Valid(text):
		return nil, errBadPackage("%s is not UTF-8", DescriptorName)
	}
	d := &descriptor{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(d); err != nil {
		return nil, errBadPackage("%s: %v", DescriptorName, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errBadPackage("%s has something behind its object", DescriptorName)
	}
	switch {
	case d.About == nil:
		return nil, errBadPackage("it is not of anonsql: %s has no object anonsql", DescriptorName)
	case d.About.FormatVersion != formatVersion:
		return nil, errBadPackage("its formatVersion is %d, this program reads %d", d.About.FormatVersion, formatVersion)
	}
	return d, nil
}

// reasonOf returns an error's text without this machine's paths.
func reasonOf(err error) error {
	if known, ok := errors.AsType[*fs.PathError](err); ok {
		return known.Err
	}
	return err
}

// A reader reads the files of one package.
type reader struct {
	files     fs.FS
	limits    Limits
	resources map[string]*resource
	members   int // of cells, so far
	listed    int // those of them in separate lists
	order     func(x, y anonymize.Value) int
	isTied    bool // older programs sorted some of the values differently
}

// olderOrder is the order of values in packages of older programs: decimals with equal float64 values by their texts.
func olderOrder(x, y anonymize.Value) int {
	if x.Kind == anonymize.Decimal && y.Kind == anonymize.Decimal && x.Float == y.Float {
		return strings.Compare(x.Text, y.Text)
	}
	return anonymize.Compare(x, y)
}

// meet compares neighbouring values in both orders.
func (in *reader) meet(x, y anonymize.Value) {
	in.isTied = in.isTied || anonymize.Compare(x, y) != olderOrder(x, y)
}

// list checks the list of files without opening them.
func (in *reader) list(d *descriptor) error {
	if len(d.Resources) > 10_000 {
		return errBadPackage("it has %d resources", len(d.Resources))
	}
	total, paths := int64(0), make(map[string]bool)
	for i := range d.Resources {
		r := &d.Resources[i]
		if slices.Contains(d.About.Completed, r.Name) { // drawn from the release: never opened
			continue
		}
		switch {
		case in.resources[r.Name] != nil:
			return errBadPackage("two resources have the name %q", r.Name)
		case !isPlainPath(r.Path):
			return errBadPackage("resource %q has the path %q, must be a file of the package", r.Name, r.Path)
		case paths[r.Path]:
			return errBadPackage("two resources have the path %q", r.Path)
		case r.Format != CSV && r.Format != Parquet:
			return errBadPackage("resource %q has the format %q, must be csv or parquet", r.Name, r.Format)
		case r.Bytes < 0:
			return errBadPackage("resource %q has %d bytes", r.Name, r.Bytes)
		case !strings.HasPrefix(r.Hash, "sha256:"):
			return errBadPackage("resource %q has no hash sha256:..., which tells changes", r.Name)
		case r.Encoding != "" && !strings.EqualFold(r.Encoding, "utf-8"):
			return errBadPackage("resource %q has the encoding %q, must be utf-8", r.Name, r.Encoding)
		case r.Dialect != nil && *r.Dialect != dialectOf(r.Dialect.LineTerminator):
			return errBadPackage("resource %q has another CSV dialect than comma, double quotes and a header", r.Name)
		}
		if r.Bytes > in.limits.Bytes-total {
			return errBadPackage("its files have more than %d bytes", in.limits.Bytes)
		}
		total += r.Bytes
		in.resources[r.Name], paths[r.Path] = r, true
	}
	return nil
}

func dialectOf(lineTerminator string) dialect {
	return dialect{Delimiter: ",", LineTerminator: lineTerminator, QuoteChar: `"`, DoubleQuote: true, Header: true}
}

// isPlainPath reports whether a path is relative, inside the package, and no URL.
func isPlainPath(name string) bool {
	u, err := url.Parse(name)
	return fs.ValidPath(name) && name != "." && path.Clean(name) == name && !strings.ContainsAny(name, "\\\x00:") && (err != nil || u.Scheme == "")
}

// resource returns the resource for a part of the release.
func (in *reader) resource(name, part string) (*resource, error) {
	r := in.resources[name]
	if r == nil {
		return nil, errBadPackage("%s is missing: there is no resource %q", part, name)
	}
	return r, nil
}

// parameterName matches names of methods and parameters.
var parameterName = regexp.MustCompile(`^[a-z][0-9a-z_]{0,63}$`)

// metadata returns the package without its release.
func (a *about) metadata(limits Limits) (*Package, error) {
	switch {
	case a.Release == "" || a.Method == "":
		return nil, errBadPackage("%s does not name the release and its method", DescriptorName)
	case !parameterName.MatchString(a.Method):
		return nil, errBadPackage("the name of its method, %.80q, is none", a.Method)
	case a.Version < 1 || a.Version > math.MaxInt32:
		return nil, errBadPackage("it is version %d", a.Version)
	case a.Records < 1 || a.Records > limits.Records:
		return nil, errBadPackage("it has %d records, must be 1 to %d", a.Records, limits.Records)
	case a.Groups < 1 || a.Groups > a.Records:
		return nil, errBadPackage("it has %d groups of %d records", a.Groups, a.Records)
	case a.Forged < 0 || a.Forged >= a.Records:
		return nil, errBadPackage("it has %d counterfeits among %d records", a.Forged, a.Records)
	case len(a.Fragments) == 0:
		return nil, errBadPackage("it has no fragments")
	}
	for name, value := range a.Parameters {
		if !parameterName.MatchString(name) || strings.ContainsFunc(value, unicode.IsControl) || !utf8.ValidString(value) {
			return nil, errBadPackage("it has a parameter %.80q of %.80q, which no method has", name, value)
		}
	}
	if x := a.Answers; x != nil && x.Estimator != "imputed" && x.Estimator != "independent" {
		return nil, errBadPackage("its answers are by the estimator %.80q, must be imputed or independent", x.Estimator)
	}
	if a.MovedDays < 0 {
		return nil, errBadPackage("it has dates that are moved by up to %d days", a.MovedDays)
	}
	p := &Package{Name: a.Release, Version: a.Version, QuasiIdentifiers: a.QuasiIdentifiers, Sensitive: a.Sensitive, Unit: a.Unit,
		Weight: a.Weight, WeightDeviation: a.WeightDeviation, WeightShared: a.WeightShared, Columns: a.Columns,
		Parameters: a.Parameters, MovedDays: a.MovedDays, Partial: a.Partial, Composed: a.Composed,
		Published: a.Published, Answers: a.Answers, Calibration: a.Calibration}
	var err error
	p.Guarantees, err = readGuarantees(a.Guarantees)
	return p, err
}

// release reads the fragments.
func (in *reader) release(ctx context.Context, a *about) (*anonymize.Release, error) {
	r := &anonymize.Release{Method: a.Method, Rows: a.Records, Forged: a.Forged, Model: a.Model}
	var err error
	if r.GroupSizes, r.Units, err = in.groups(ctx, a); err != nil {
		return nil, err
	}
	fragments, names := make(map[string]bool), make(map[string]bool)
	for i := range a.Fragments {
		described := &a.Fragments[i]
		named := strings.ToLower(described.Name)
		if named == "" || named == "gid" || fragments[named] {
			return nil, errBadPackage("a fragment has the name %q", described.Name)
		}
		fragments[named] = true
		for _, c := range described.Columns {
			lower := strings.ToLower(c.Name)
			if c.Name == "" || names[lower] {
				return nil, errBadPackage("attribute %q occurs twice, or has no name", c.Name)
			}
			names[lower] = true
		}
		f, err := in.fragment(ctx, described, a)
		if err != nil {
			return nil, wrapPlace("fragment "+described.Name, err)
		}
		r.Fragments = append(r.Fragments, f)
	}
	for _, check := range []func(*anonymize.Release) error{(*anonymize.Release).Check, contingency.Check} {
		if err := check(r); err != nil {
			return nil, errBadPackage("%v", err)
		}
	}
	return r, nil
}

// unitsColumn returns the column of units' numbers, if the release has units.
func (a *about) unitsColumn() []*readColumn {
	if len(a.Unit) == 0 {
		return nil
	}
	return []*readColumn{{name: "units", kind: integerKind, number: true}}
}

// unitsOf returns the units' numbers, nil without a column of them.
func unitsOf(columns []*readColumn) []uint32 {
	if len(columns) == 0 {
		return nil
	}
	return columns[0].codes
}

// groups reads (gid, size), and units if there are any.
func (in *reader) groups(ctx context.Context, a *about) (sizes, units []uint32, err error) {
	res, err := in.resource(a.GroupSizes, "the list of groups")
	if err != nil {
		return nil, nil, err
	}
	counted := a.unitsColumn()
	t := &readTable{rows: a.Groups,
		columns: append([]*readColumn{{name: "gid", kind: integerKind, number: true}, {name: "size", kind: integerKind, number: true}}, counted...)}
	if err := in.table(ctx, res, t); err != nil {
		return nil, nil, err
	}
	total := uint64(0)
	for i, gid := range t.columns[0].codes {
		if int(gid) != i+1 {
			return nil, nil, errBadPackage("%s: line %d has gid %d, must have %d: every gid once, ascending", res.Path, i+2, gid, i+1)
		}
		total += uint64(t.columns[1].codes[i])
	}
	if total != uint64(a.Records) {
		return nil, nil, errBadPackage("%s: the groups have %d records, the release has %d", res.Path, total, a.Records)
	}
	return t.columns[1].codes, unitsOf(counted), nil
}

// fragment reads (gid, attributes..., count), and units if there are any.
func (in *reader) fragment(ctx context.Context, described *fragment, a *about) (*anonymize.Fragment, error) {
	role := anonymize.FragmentRole(described.Role)
	if !slices.Contains([]anonymize.FragmentRole{anonymize.QuasiIdentifying, anonymize.Sensitive, anonymize.Mixed}, role) {
		return nil, errBadPackage("it has the role %q", described.Role)
	}
	if described.Tuples < 1 || described.Tuples > a.Records || len(described.Columns) == 0 {
		return nil, errBadPackage("it has %d tuples of %d attributes, for %d records", described.Tuples, len(described.Columns), a.Records)
	}
	res, err := in.resource(described.Resource, "the fragment")
	if err != nil {
		return nil, err
	}
	t := &readTable{columns: []*readColumn{{name: "gid", kind: integerKind, number: true}}, rows: described.Tuples}
	for _, c := range described.Columns {
		shown := &readColumn{name: c.Name, kind: c.Kind}
		if c.Cells != "" {
			if shown.kind, err = in.namesKind(&c); err != nil {
				return nil, err
			}
		}
		t.columns = append(t.columns, shown)
	}
	counts, counted := &readColumn{name: "count", kind: integerKind, number: true}, a.unitsColumn()
	t.columns = append(append(t.columns, counts), counted...)
	if err := in.table(ctx, res, t); err != nil {
		return nil, err
	}
	f := &anonymize.Fragment{Name: described.Name, Role: role, Count: counts.codes, Units: unitsOf(counted)}
	if f.GroupStart, err = groupStarts(t.columns[0].codes, a.Groups); err != nil {
		return nil, wrapPlace(res.Path, err)
	}
	for i := range described.Columns {
		column, err := in.attribute(ctx, &described.Columns[i], t.columns[i+1])
		if err != nil {
			return nil, wrapPlace("attribute "+described.Columns[i].Name, err)
		}
		f.Columns = append(f.Columns, column)
	}
	return f, nil
}

// groupStarts returns the beginnings of groups; gids must ascend without gaps.
func groupStarts(gids []uint32, groups int) ([]uint32, error) {
	starts := make([]uint32, 1, groups+1)
	at := uint32(1)
	for i, gid := range gids {
		if gid == at+1 && i > 0 {
			starts = append(starts, uint32(i))
			at = gid
		}
		if gid != at {
			return nil, errBadPackage("line %d has gid %d after %d: gids ascend and none is left out", i+2, gid, at)
		}
	}
	if int(at) != groups {
		return nil, errBadPackage("it has %d groups, the release has %d", at, groups)
	}
	return append(starts, uint32(len(gids))), nil
}

// attribute makes a fragment's column.
func (in *reader) attribute(ctx context.Context, described *column, shown *readColumn) (*anonymize.FragmentColumn, error) {
	if !described.Kind.isKnown() {
		return nil, errBadPackage("the kind %q is not known", described.Kind)
	}
	c := &anonymize.FragmentColumn{Name: described.Name, Type: described.Type, Constant: described.Constant, Spans: described.Spans}
	if described.Cells != "" {
		return c, in.generalized(ctx, described, c, shown)
	}
	var err error
	c.Dictionary, c.Codes, err = in.ascending(shown)
	return c, err
}
