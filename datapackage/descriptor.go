package datapackage

import (
	"encoding/json"
	"time"

	"github.com/anonsql/anonsql/anonymize"
)

// A descriptor is the content of datapackage.json.
type descriptor struct {
	Profile     string     `json:"profile"`
	Name        string     `json:"name"`
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Created     string     `json:"created,omitempty"`
	Resources   []resource `json:"resources"`
	About       *about     `json:"anonsql"`
}

// A resource describes one file.
type resource struct {
	Profile     string   `json:"profile"`
	Name        string   `json:"name"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Path        string   `json:"path"`
	Format      Format   `json:"format"`
	Mediatype   string   `json:"mediatype"`
	Encoding    string   `json:"encoding,omitempty"`
	Bytes       int64    `json:"bytes"`
	Hash        string   `json:"hash"` // sha256:hex
	Dialect     *dialect `json:"dialect,omitempty"`
	Schema      schema   `json:"schema"`
}

// A dialect is the format of CSV (CSV Dialect specification).
type dialect struct {
	Delimiter        string `json:"delimiter"`
	LineTerminator   string `json:"lineTerminator"`
	QuoteChar        string `json:"quoteChar"`
	DoubleQuote      bool   `json:"doubleQuote"`
	SkipInitialSpace bool   `json:"skipInitialSpace"`
	Header           bool   `json:"header"`
}

// A schema is a Table Schema.
type schema struct {
	Fields        []field      `json:"fields"`
	MissingValues []string     `json:"missingValues"`
	PrimaryKey    []string     `json:"primaryKey,omitempty"`
	ForeignKeys   []foreignKey `json:"foreignKeys,omitempty"`
}

type field struct {
	Name        string       `json:"name"`
	Type        string       `json:"type"`
	Format      string       `json:"format,omitempty"`
	Description string       `json:"description,omitempty"`
	Constraints *constraints `json:"constraints,omitempty"`
}

type constraints struct {
	Required bool `json:"required,omitempty"`
	Unique   bool `json:"unique,omitempty"`
	Minimum  *int `json:"minimum,omitempty"`
}

type foreignKey struct {
	Fields    []string  `json:"fields"`
	Reference reference `json:"reference"`
}

type reference struct {
	Resource string   `json:"resource"`
	Fields   []string `json:"fields"`
}

// formatVersion is the version of the object anonsql.
const formatVersion = 1

// about is the descriptor's object anonsql: how the tables form a release.
type about struct {
	FormatVersion    int               `json:"formatVersion"`
	Release          string            `json:"release"`
	Version          int               `json:"version"`
	Method           string            `json:"method"`
	Parameters       map[string]string `json:"parameters"`
	QuasiIdentifiers []string          `json:"quasiIdentifiers"`
	Sensitive        []string          `json:"sensitive"`
	Unit             []string          `json:"unit,omitempty"`
	Weight           string            `json:"weight,omitempty"`
	WeightDeviation  float64           `json:"weightDeviation,omitempty"`
	WeightShared     float64           `json:"weightShared,omitempty"`
	Columns          []string          `json:"columns"`
	Records          int               `json:"records"`
	Groups           int               `json:"groups"`
	Forged           int               `json:"forged"`
	MovedDays        int               `json:"movedDays,omitempty"`
	Partial          bool              `json:"partial,omitempty"`
	Composed         bool              `json:"composed"`
	Published        time.Time         `json:"published"`
	Guarantees       []guarantee       `json:"guarantees"`
	GroupSizes       string            `json:"groupSizes"` // name of a resource
	Fragments        []fragment        `json:"fragments"`
	Model            *anonymize.Model  `json:"model,omitempty"`
	Completed        []string          `json:"completed,omitempty"` // resources that are not part of the release
	Answers          *Answers          `json:"answers,omitempty"`
	Calibration      json.RawMessage   `json:"calibration,omitempty"`
}

type fragment struct {
	Name     string   `json:"name"`
	Role     string   `json:"role"`
	Resource string   `json:"resource"`
	Tuples   int      `json:"tuples"`
	Columns  []column `json:"columns"`
}

// A column is an attribute of a fragment.
type column struct {
	Name string `json:"name"`
	Type string `json:"type"` // in SQL
	Kind kind   `json:"kind"`
	// Cells and Values are resources of a generalized attribute.
	Cells  string `json:"cells,omitempty"`
	Values string `json:"values,omitempty"`
	// Constant says that each unit has one value.
	Constant bool `json:"constant,omitempty"`
	// Spans says that numbers of the table are between the values.
	Spans bool `json:"spans,omitempty"`
}

// A guarantee is a line of the verifier's report. Ratios are exact: "1/3".
type guarantee struct {
	Name      string `json:"name"`
	Required  string `json:"required,omitempty"`
	Threshold string `json:"threshold,omitempty"`
	// Relative says that the threshold is a share of the value. Separator separates the codes of a cell.
	Relative  bool       `json:"relative,omitempty"`
	Separator string     `json:"separator,omitempty"`
	Hierarchy *hierarchy `json:"hierarchy,omitempty"`
	// NotSensitive are values, as texts, that the promise excludes.
	NotSensitive []string `json:"notSensitive,omitempty"`
	Achieved     float64  `json:"achieved"`
	WorstGroup   int      `json:"worstGroup,omitempty"` // a gid
	Holds        bool     `json:"holds"`
	Detail       string   `json:"detail,omitempty"`
}

// A hierarchy defines distances between a sensitive attribute's values: nodes' parents and
// heights, the root first, and the node of every occurring value, ascending.
type hierarchy struct {
	Parent []int `json:"parent"`
	Height []int `json:"height"`
	Leaf   []int `json:"leaf"`
}
