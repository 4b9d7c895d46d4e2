package peers

import (
	"context"
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

// adult has common hierarchies of the quasi-identifiers of UCI Adult in ARX's format: a file for each attribute, and
// in it a line for each value with its generalizations, level by level.
//
//go:embed hierarchies/*.csv
var adult embed.FS

// A Table is the input of all tools: records, whose last column is the sensitive attribute, and hierarchies of the
// other columns by name.
type Table struct {
	*anonymize.Microdata
	Hierarchies map[string]*anonymize.Domain
}

// TableFile is the name of the records among the files of a table.
const TableFile = "table.csv"

// Quasi are the quasi-identifiers.
func (t *Table) Quasi() []*anonymize.Column { return t.Columns[:len(t.Columns)-1] }

// Sensitive is the last column.
func (t *Table) Sensitive() *anonymize.Column { return t.Columns[len(t.Columns)-1] }

// Roles are the roles in all measurements.
func (t *Table) Roles() anonymize.Roles {
	r := anonymize.Roles{Sensitive: []string{t.Sensitive().Name}}
	for _, c := range t.Quasi() {
		r.QuasiIdentifiers = append(r.QuasiIdentifiers, c.Name)
	}
	return r
}

// WithHierarchies reads the file NAME.csv for each quasi-identifier of a table, whose last column is the sensitive
// attribute. Attributes without a file have no hierarchy.
func WithHierarchies(table *anonymize.Microdata, files fs.FS) (*Table, error) {
	if len(table.Columns) < 2 {
		return nil, errors.New("the table has one column: it needs quasi-identifiers, and a sensitive attribute as its last column")
	}
	t := &Table{Microdata: table, Hierarchies: make(map[string]*anonymize.Domain)}
	for _, c := range t.Quasi() {
		file, err := files.Open(c.Name + ".csv")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		taxonomy, err := readHierarchy(c, file)
		file.Close()
		if err != nil {
			return nil, fmt.Errorf("%s.csv: %w", c.Name, err)
		}
		t.Hierarchies[c.Name] = &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: taxonomy}
	}
	return t, nil
}

// ReadAdult reads the complete records of a file of UCI Adult, with the attributes of docs/peers.md and our
// hierarchies.
func ReadAdult(ctx context.Context, path string) (*Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	source, err := evaluation.ReadTable(ctx, file)
	if err != nil {
		return nil, err
	}
	run := &evaluation.Run{Table: source.Table}
	columns, err := run.Attributes(experiment, "age", "workclass", "education", "marital_status", "race", "sex", "native_country", "income", "occupation")
	if err != nil {
		return nil, err
	}
	table, err := anonymize.NewMicrodata(columns...)
	if err != nil {
		return nil, err
	}
	files, err := fs.Sub(adult, "hierarchies")
	if err != nil {
		return nil, err
	}
	return WithHierarchies(table, files)
}

func readHierarchy(c *anonymize.Column, text io.Reader) (*anonymize.Taxonomy, error) {
	r := csv.NewReader(text)
	r.Comma = ';'
	paths, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	values := valuesOf(c)
	taxonomy, err := anonymize.TaxonomyOfPaths(paths, func(text string) (anonymize.Value, error) {
		if code, ok := values[text]; ok {
			return c.Dictionary[code], nil
		}
		if c.IsNumeric() {
			return numberOf(c, text)
		}
		return anonymize.TextValue(text), nil // no record has it
	})
	if err != nil {
		return nil, err
	}
	return taxonomy, taxonomy.Check(c)
}

// numberOf parses a number that no record has.
func numberOf(c *anonymize.Column, text string) (anonymize.Value, error) {
	if c.Dictionary[len(c.Dictionary)-1].Kind == anonymize.Integer {
		i, err := strconv.ParseInt(text, 10, 64)
		return anonymize.IntegerValue(i), err
	}
	f, err := strconv.ParseFloat(text, 64)
	return anonymize.RealValue(f), err
}

// valuesOf maps the texts of a column's values to their codes.
func valuesOf(c *anonymize.Column) map[string]uint32 {
	codes := make(map[string]uint32, len(c.Dictionary))
	for code, v := range c.Dictionary {
		codes[v.String()] = uint32(code)
	}
	return codes
}

// WriteFiles writes table.csv and the hierarchies into a directory, for other tools.
func (t *Table) WriteFiles(directory string) error {
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	lines := [][]string{t.names()}
	for row := range t.Rows {
		lines = append(lines, texts(t.Columns, row))
	}
	if err := writeLines(filepath.Join(directory, TableFile), ',', lines); err != nil {
		return err
	}
	for name, domain := range t.Hierarchies {
		if err := writeLines(filepath.Join(directory, name+".csv"), ';', pathsOf(domain.Taxonomy)); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) names() []string {
	r := t.Roles()
	return append(r.QuasiIdentifiers, r.Sensitive...)
}

func texts(columns []*anonymize.Column, row int) []string {
	line := make([]string, len(columns))
	for i, c := range columns {
		line[i] = c.Value(row).String()
	}
	return line
}

// pathsOf returns the lines of a hierarchy file.
func pathsOf(t *anonymize.Taxonomy) [][]string {
	var paths [][]string
	for _, v := range t.Leaves() {
		var path []string
		for node := t.Leaf(v); node >= 0; node = t.Parent(node) {
			path = append(path, t.Label(node))
		}
		paths = append(paths, path)
	}
	return paths
}

func writeLines(path string, comma rune, lines [][]string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(file)
	w.Comma = comma
	return errors.Join(w.WriteAll(lines), file.Close())
}
