package datapackage

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/anonsql/anonsql/anonymize"
)

// DescriptorName is the file that makes a folder a data package.
const DescriptorName = "datapackage.json"

// WriteOptions configure Write.
type WriteOptions struct {
	Format Format // Defaults to CSV.
	// Overwrite replaces an existing package.
	Overwrite bool
	// Completed is the number of completed tables to write beside the release, the first ones
	// of its Completion. Defaults to none.
	Completed int
	// Progress receives the number of finished files; may be nil.
	Progress func(done, total int)
}

// Write writes the package as the folder dir below root; dir is separated by /. The folder is
// complete or absent: Write writes the files beside it and renames them when they are on disk.
// It returns the total size and the number of files.
func Write(ctx context.Context, root *os.Root, dir string, p *Package, o WriteOptions) (written int64, files int, err error) {
	if o.Format == "" {
		o.Format = CSV
	}
	if err := p.checkCompleted(o.Completed); err != nil {
		return 0, 0, err
	}
	if err := checkFolder(root, dir, o.Overwrite); err != nil {
		return 0, 0, err
	}
	parent, base := path.Split(dir)
	if parent = path.Clean(parent); parent != "." {
		if err := root.MkdirAll(parent, 0o755); err != nil {
			return 0, 0, failed("make the folder "+parent, err)
		}
	}
	token := make([]byte, 8)
	if _, err := rand.Read(token); err != nil {
		return 0, 0, err
	}
	hidden := path.Join(parent, "."+base+"."+hex.EncodeToString(token))
	if err := root.Mkdir(hidden, 0o755); err != nil {
		return 0, 0, failed("make the folder "+hidden, err)
	}
	defer func() { err = errors.Join(err, root.RemoveAll(hidden)) }() // removes the rest after a failure
	folder, err := root.OpenRoot(hidden)
	if err != nil {
		return 0, 0, failed("open the folder "+hidden, err)
	}
	defer folder.Close()
	if written, files, err = writeFiles(ctx, folder, p, o); err != nil {
		return 0, 0, err
	}
	return written, files, place(root, hidden, dir, o.Overwrite, syncFolder)
}

// unshown reports whether a character is invisible in a list: line breaks, direction marks and others.
func unshown(c rune) bool { return !unicode.IsPrint(c) }

// checkFolder refuses names outside root and existing folders that must not be overwritten.
func checkFolder(root *os.Root, dir string, overwrite bool) error {
	if !filepath.IsLocal(filepath.FromSlash(dir)) || path.Clean(dir) != dir || dir == "." || strings.ContainsAny(dir, "\\\x00") {
		return &anonymize.ParameterError{Parameter: "dir", Value: "'" + dir + "'",
			Rule: "must be the name of a folder below the export directory, such as adult or 2026/adult"}
	}
	for part := range strings.SplitSeq(dir, "/") {
		// Programs take a name that begins with a dash for an option.
		if strings.HasPrefix(part, ".") || strings.HasPrefix(part, "-") || len(part) > 150 || strings.ContainsFunc(part, unshown) || !utf8.ValidString(part) {
			return &anonymize.ParameterError{Parameter: "dir", Value: fmt.Sprintf("%.200q", dir),
				Rule: "must have parts of at most 150 bytes of letters, digits and signs that do not begin with a dot or a dash"}
		}
	}
	_, err := root.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return failed("look for the folder "+dir, err)
	case !overwrite:
		return &anonymize.DataError{Reason: fmt.Sprintf("%s exists in the export directory: say overwrite=true, or another dir", dir)}
	}
	if info, err := root.Lstat(path.Join(dir, DescriptorName)); err != nil || !info.Mode().IsRegular() {
		return &anonymize.DataError{Reason: fmt.Sprintf("%s exists in the export directory and has no %s: it is not overwritten", dir, DescriptorName)}
	}
	return nil
}

// failed returns a disk error without its paths, which the client must not see.
func failed(what string, err error) error {
	if known, ok := errors.AsType[*fs.PathError](err); ok {
		err = known.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		err = link.Err
	}
	return &anonymize.DataError{Reason: "cannot " + what + " in the export directory: " + err.Error()}
}

// place renames the finished folder. Where names cannot be exchanged, and a package is in its place, there
// is a moment without either; what was there comes back when the renaming fails, or is not sure to last. It is
// never the hidden folder, which Write removes.
func place(root *os.Root, hidden, dir string, overwrite bool, sync func(*os.Root, string) error) error {
	parent := path.Dir(dir)
	_, err := root.Lstat(dir)
	if overwrite && err == nil {
		old := hidden + ".old"
		if err := root.Rename(hidden, old); err != nil {
			return failed("rename to "+old, err)
		}
		if exchange(root, old, dir) != nil {
			if err := errors.Join(root.Rename(old, hidden), root.Rename(dir, old)); err != nil {
				return failed("move the folder "+dir, err)
			}
			if err := root.Rename(hidden, dir); err != nil {
				return errors.Join(failed("rename to "+dir, err), root.Rename(old, dir))
			}
		}
		if err := sync(root, parent); err != nil {
			_ = root.Rename(dir, hidden) // if it fails, so does the next, or the name is free
			if lost := root.Rename(old, dir); lost != nil {
				err = errors.Join(err, failed("give the package "+old+" its name "+dir+" again", lost))
			}
			return err
		}
		return root.RemoveAll(old)
	}
	if err == nil {
		return &anonymize.DataError{Reason: dir + " was made in the export directory meanwhile"}
	}
	if err := root.Rename(hidden, dir); err != nil {
		return failed("rename to "+dir, err)
	}
	return sync(root, parent)
}

func syncFolder(root *os.Root, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return failed("open the folder "+name, err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return failed("write the folder "+name, err)
	}
	return nil
}

// writeFiles writes the tables, the descriptor and the README.
func writeFiles(ctx context.Context, folder *os.Root, p *Package, o WriteOptions) (int64, int, error) {
	tables, a, err := p.tables()
	if err != nil {
		return 0, 0, err
	}
	d := &descriptor{Profile: "tabular-data-package", Name: shortened(resourceName(p.Name), ""), Title: p.title(), Description: p.description(), About: a}
	if o.Format == Parquet {
		d.Profile = "data-package" // the tabular profile is for CSV
	}
	if !p.Published.IsZero() {
		d.Created = p.Published.UTC().Format(time.RFC3339)
	}
	total, err := d.addTables(ctx, folder, p, tables, o)
	if err != nil {
		return 0, 0, err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(d); err != nil {
		return 0, 0, err
	}
	readme := d.readme()
	for _, file := range []struct {
		name string
		text []byte
	}{{"README.md", readme}, {DescriptorName, text.Bytes()}} {
		n, _, err := writeFile(folder, file.name, func(w io.Writer) error { _, err := w.Write(file.text); return err })
		if err != nil {
			return 0, 0, err
		}
		total += n
	}
	return total, len(d.Resources) + 2, syncFolder(folder, ".")
}

// addTables writes and describes the tables of the release, then completed ones, and returns
// their bytes.
func (d *descriptor) addTables(ctx context.Context, folder *os.Root, p *Package, tables []*table, o WriteOptions) (total int64, err error) {
	extra, err := p.completedTables(o.Completed, tables)
	if err != nil {
		return 0, err
	}
	if len(extra) > 0 {
		if err := folder.Mkdir(completedFolder, 0o755); err != nil {
			return 0, failed("make the folder "+completedFolder, err)
		}
	}
	for i, t := range slices.Concat(tables, extra) {
		if drawn := i - len(tables); drawn >= 0 {
			if err := p.fill(ctx, t, drawn); err != nil {
				return 0, err
			}
			d.About.Completed = append(d.About.Completed, t.resourceName)
		}
		r, err := writeTable(ctx, folder, t, o.Format)
		if err != nil {
			return 0, err
		}
		for c := range t.columns { // keep only one table in memory
			t.columns[c].codes = nil
		}
		total += r.Bytes
		d.Resources = append(d.Resources, *r)
		if o.Progress != nil {
			o.Progress(i+1, len(tables)+len(extra)+2)
		}
	}
	if len(extra) > 0 {
		err = syncFolder(folder, completedFolder)
	}
	return total, err
}

// writeTable writes one file and describes it.
func writeTable(ctx context.Context, folder *os.Root, t *table, f Format) (*resource, error) {
	r := t.resource(f)
	write := func(w io.Writer) error { return writeCSV(ctx, w, t, r.Schema.MissingValues[0]) }
	if f == Parquet {
		write = func(w io.Writer) error { return writeParquet(ctx, w, t) }
	}
	var err error
	r.Bytes, r.Hash, err = writeFile(folder, r.Path, write)
	return r, err
}

// writeFile writes a file to disk and returns its size and hash.
func writeFile(folder *os.Root, name string, write func(io.Writer) error) (size int64, sum string, err error) {
	f, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, "", failed("make the file "+name, err)
	}
	w := &measured{w: f, sum: sha256.New()}
	if err = write(w); err == nil {
		if err = f.Sync(); err != nil {
			err = failed("write the file "+name, err)
		}
	}
	if closing := f.Close(); err == nil && closing != nil {
		err = failed("write the file "+name, closing)
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed("write the file "+name, err)
	}
	return w.bytes, "sha256:" + hex.EncodeToString(w.sum.Sum(nil)), err
}

// measured counts and hashes what is written.
type measured struct {
	w     io.Writer
	sum   hash.Hash
	bytes int64
}

func (m *measured) Write(data []byte) (int, error) {
	n, err := m.w.Write(data)
	m.sum.Write(data[:n])
	m.bytes += int64(n)
	return n, err
}

// resource describes a table's file.
func (t *table) resource(f Format) *resource {
	r := &resource{Profile: "data-resource", Name: cmp.Or(t.resourceName, t.name), Title: t.title, Description: t.description,
		Path: t.name + "." + string(f), Format: f, Mediatype: f.mediatype(), Schema: t.schema(f)}
	if f == CSV {
		r.Profile, r.Encoding = "tabular-data-resource", "utf-8"
		r.Dialect = &dialect{Delimiter: ",", LineTerminator: "\n", QuoteChar: `"`, DoubleQuote: true, Header: true}
	}
	return r
}

func (t *table) schema(f Format) schema {
	s := schema{PrimaryKey: t.primaryKey, MissingValues: []string{}}
	if f == CSV {
		s.MissingValues = []string{t.missingText()}
	}
	one := 1
	for i := range t.columns {
		c := &t.columns[i]
		described := field{Name: c.name, Description: c.description}
		described.Type, described.Format = c.kind.frictionless()
		if c.isNumbers() {
			described.Constraints = &constraints{Required: true, Unique: c.unique, Minimum: &one}
		}
		s.Fields = append(s.Fields, described)
	}
	if t.groupsKey != "" {
		s.ForeignKeys = []foreignKey{{Fields: []string{"gid"}, Reference: reference{Resource: t.groupsKey, Fields: []string{"gid"}}}}
	}
	return s
}
