// Package limits has the resource limits of an account: the time of a statement, the
// rows and bytes of a result, memory, concurrent connections.
//
//  1. Analysts have default limits (Default): BI work stays below them, and one account
//     cannot stop the server.
//  2. The owner sets others by name and value ('statement_timeout=120'); 0 lifts a
//     limit, 'default' restores the default.
//  3. The owner's limits are stored with the account, as a JSON text among its
//     attributes (Text), so that they follow the account.
//  4. Of two limits the smaller one applies (Within).
package limits

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Limits are those of one account. 0 is no limit.
type Limits struct {
	// StatementTimeout is the time of one statement.
	StatementTimeout time.Duration
	// MaxResultRows and MaxResultBytes are those of one result, the bytes as text.
	MaxResultRows, MaxResultBytes int64
	// Memory bounds the process in which the account's statements run, in bytes: it may
	// hold three times that.
	Memory int64
	// MaxConnections are an account's at once.
	MaxConnections int64
}

// Default are an analyst's limits where the owner has set no others. The longest of
// 60 seconds is some hundred times the slowest estimate over 1,000,000 records; a
// million rows and 256 MiB are what a spreadsheet, or a tool that draws from an
// extract, can take at all; 128 MiB is 500,000 groups; and pools of BI tools have 5
// to 15 connections.
func Default() Limits {
	return Limits{StatementTimeout: time.Minute, MaxResultRows: 1_000_000, MaxResultBytes: 256 << 20, Memory: 128 << 20, MaxConnections: 20}
}

// A Changed has the limits that an owner has set, by name; the others are the
// defaults.
type Changed map[string]int64

// minMemory is the smallest of these limits, in bytes: below it the catalog of
// tables cannot be read.
const minMemory = 8 << 20

// A limit is one of them, by its name in options.
type limit struct {
	name  string
	least int64 // of a value that is not 0
	unit  string
	field func(*Limits) *int64
}

const timeout = "statement_timeout"

// allLimits are the limits, in the order in which they are said. The timeout, in seconds, is
// told apart by having no field.
var allLimits = []limit{
	{timeout, 1, "seconds", nil},
	{"max_result_rows", 1, "rows", func(l *Limits) *int64 { return &l.MaxResultRows }},
	{"max_result_bytes", 1024, "bytes", func(l *Limits) *int64 { return &l.MaxResultBytes }},
	{"memory", minMemory, "bytes", func(l *Limits) *int64 { return &l.Memory }},
	{"max_connections", 1, "connections", func(l *Limits) *int64 { return &l.MaxConnections }},
}

// value is that of a limit, in its unit.
func (l Limits) value(one limit) int64 {
	if one.field == nil {
		return int64(l.StatementTimeout / time.Second)
	}
	return *one.field(&l)
}

func (l *Limits) set(one limit, value int64) {
	if one.field == nil {
		l.StatementTimeout = time.Duration(value) * time.Second
		return
	}
	*one.field(l) = value
}

// String is the options that would set the limits.
func (l Limits) String() string {
	list := make([]string, len(allLimits))
	for i, one := range allLimits {
		list[i] = one.name + "=" + one.written(l.value(one))
	}
	return strings.Join(list, ", ")
}

// written is a value as an option has it: whole mebibytes as such.
func (one limit) written(value int64) string {
	const mebibyte = 1 << 20
	if one.unit == "bytes" && value > 0 && value%mebibyte == 0 {
		return strconv.FormatInt(value/mebibyte, 10) + "MiB"
	}
	return strconv.FormatInt(value, 10)
}

// Intersect is the smaller of each two limits.
func (l Limits) Intersect(other Limits) Limits {
	smaller := func(a, b int64) int64 {
		if a == 0 || b != 0 && b < a {
			return b
		}
		return a
	}
	l.StatementTimeout = time.Duration(smaller(int64(l.StatementTimeout), int64(other.StatementTimeout)))
	for _, one := range allLimits {
		if one.field != nil {
			l.set(one, smaller(l.value(one), other.value(one)))
		}
	}
	return l
}

// An OptionError says what is wrong about an option.
type OptionError struct{ Parameter, Value, Rule string }

// Error implements error.
func (e *OptionError) Error() string {
	return fmt.Sprintf("%s is %s, %s", e.Parameter, e.Value, e.Rule)
}

// WithOptions returns what is set when options, name=value each, are set too. Values are
// integers, of bytes also with KiB, MiB or GiB, of seconds also with s or m; 0
// is no limit; 'default' is the default. Errors are of type *OptionError.
func (c Changed) WithOptions(options ...string) (Changed, error) {
	changed := Changed{}
	for name, value := range c {
		changed[name] = value
	}
	for _, option := range options {
		name, text, found := strings.Cut(option, "=")
		name, text = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(text)
		one := find(name)
		if one == nil || !found {
			return nil, &OptionError{"limit", strconv.Quote(option), "must be one of " + Names() + ", with = and a value"}
		}
		if strings.EqualFold(text, "default") {
			delete(changed, name)
			continue
		}
		value, err := one.read(text)
		if err != nil {
			return nil, err
		}
		changed[name] = value
	}
	return changed, nil
}

func find(name string) *limit {
	for i := range allLimits {
		if allLimits[i].name == name {
			return &allLimits[i]
		}
	}
	return nil
}

// Names lists the limits.
func Names() string {
	names := make([]string, len(allLimits))
	for i, one := range allLimits {
		names[i] = one.name
	}
	return strings.Join(names, ", ")
}

// units of values, by what they are written with.
var units = map[string]map[string]int64{
	"bytes":   {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30},
	"seconds": {"s": 1, "m": 60, "h": 3600},
}

// maxValue is larger than anything that is counted.
const maxValue = 1 << 42

func (one *limit) read(text string) (int64, error) {
	number, factor := text, int64(1)
	for suffix, times := range units[one.unit] {
		if cut, ok := strings.CutSuffix(strings.ToLower(text), suffix); ok && len(cut) > 0 && len(suffix) >= 1 {
			if _, err := strconv.ParseInt(strings.TrimSpace(cut), 10, 64); err == nil {
				number, factor = strings.TrimSpace(cut), times
			}
		}
	}
	value, err := strconv.ParseInt(number, 10, 64)
	if err != nil || value < 0 || value > maxValue/factor {
		return 0, &OptionError{one.name, strconv.Quote(text), "must be a whole number of " + one.unit + ", 0 for none, or 'default'"}
	}
	if value *= factor; value != 0 && value < one.least {
		return 0, &OptionError{one.name, strconv.Quote(text), fmt.Sprintf("must be at least %d %s, or 0 for none", one.least, one.unit)}
	}
	return value, nil
}

// ApplyTo returns base with what is set.
func (c Changed) ApplyTo(base Limits) Limits {
	for _, one := range allLimits {
		if value, ok := c[one.name]; ok {
			base.set(one, value)
		}
	}
	return base
}

// attribute is the name below which the limits are kept.
const attribute = "anonsql_limits"

// FromText reads what an account's attributes say; "" and other texts say nothing.
func FromText(attributes string) Changed {
	changed := Changed{}
	if !Kept(attributes, attribute, &changed) {
		return nil
	}
	return changed
}

// Text returns an account's attributes with the limits in them; "" for none.
func (c Changed) Text(attributes string) string {
	if len(c) == 0 {
		return Keep(attributes, attribute, nil)
	}
	return Keep(attributes, attribute, c)
}

// Kept reads one of the values that an account's attributes, a JSON object, keep below names; false where there is none.
func Kept(attributes, name string, into any) bool {
	kept := map[string]json.RawMessage{}
	return json.Unmarshal([]byte(attributes), &kept) == nil && json.Unmarshal(kept[name], into) == nil
}

// Keep returns an account's attributes with a value below a name, without it for nil; "" where nothing is left.
func Keep(attributes, name string, value any) string {
	kept := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(attributes), &kept) // what is no object is not ours to keep
	delete(kept, name)
	if value != nil {
		text, _ := json.Marshal(value) // of numbers and texts: it does not fail
		kept[name] = text
	}
	if len(kept) == 0 {
		return ""
	}
	text, _ := json.Marshal(kept) // of valid JSON
	return string(text)
}
