// Package limits defines the resource limits of an account: the time of a statement, the rows and bytes of a result,
// memory, concurrent connections.
//
//  1. Analysts have default limits (Default). BI work stays below them, and one account
//     cannot stop the server.
//  2. The owner sets other limits by name and value ('statement_timeout=120'); 0 lifts a
//     limit, 'default' restores the default.
//  3. The owner's limits are stored with the account, as a JSON text among its
//     attributes (Text), so that they follow the account.
//  4. Of two limits the smaller one applies (Intersect).
package limits

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Limits are the limits of one account. 0 means no limit.
type Limits struct {
	// StatementTimeout is the time of one statement.
	StatementTimeout time.Duration
	// MaxResultRows and MaxResultBytes bound one result; the bytes are those of its text.
	MaxResultRows, MaxResultBytes int64
	// Memory bounds the memory, in bytes, of the account's statements. The process that runs them may hold three times as
	// much.
	Memory int64
	// MaxConnections bounds the account's concurrent connections.
	MaxConnections int64
}

// Default returns an analyst's limits if the owner has set none. 60 seconds are some hundred times the slowest
// estimate over 1,000,000 records. A spreadsheet, or a tool that draws from an extract, takes at most a million rows
// and 256 MiB. 128 MiB hold 500,000 groups. Pools of BI tools have 5 to 15 connections.
func Default() Limits {
	return Limits{StatementTimeout: time.Minute, MaxResultRows: 1_000_000, MaxResultBytes: 256 << 20, Memory: 128 << 20, MaxConnections: 20}
}

// A Changed has the limits that an owner has set, by name. The other limits are the defaults.
type Changed map[string]int64

// minMemory is the smallest memory limit, in bytes: with less, the server cannot read the catalog of tables.
const minMemory = 8 << 20

// A limit describes one of the limits.
type limit struct {
	name  string
	least int64 // the least value except 0
	unit  string
	field func(*Limits) *int64
}

const timeout = "statement_timeout"

// allLimits are the limits in the order of messages. Only the timeout, in seconds, has no field.
var allLimits = []limit{
	{timeout, 1, "seconds", nil},
	{"max_result_rows", 1, "rows", func(l *Limits) *int64 { return &l.MaxResultRows }},
	{"max_result_bytes", 1024, "bytes", func(l *Limits) *int64 { return &l.MaxResultBytes }},
	{"memory", minMemory, "bytes", func(l *Limits) *int64 { return &l.Memory }},
	{"max_connections", 1, "connections", func(l *Limits) *int64 { return &l.MaxConnections }},
}

// value returns the value of a limit in the limit's unit.
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

// String returns the options that set the limits.
func (l Limits) String() string {
	list := make([]string, len(allLimits))
	for i, one := range allLimits {
		list[i] = one.name + "=" + one.written(l.value(one))
	}
	return strings.Join(list, ", ")
}

// written formats a value as in an option: whole mebibytes with MiB.
func (one limit) written(value int64) string {
	const mebibyte = 1 << 20
	if one.unit == "bytes" && value > 0 && value%mebibyte == 0 {
		return strconv.FormatInt(value/mebibyte, 10) + "MiB"
	}
	return strconv.FormatInt(value, 10)
}

// Intersect returns the smaller value of each limit.
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

// An OptionError explains why an option is wrong.
type OptionError struct{ Parameter, Value, Rule string }

// Error implements error.
func (e *OptionError) Error() string {
	return fmt.Sprintf("%s is %s, %s", e.Parameter, e.Value, e.Rule)
}

// WithOptions returns the limits after setting options, each name=value. Values are integers. Bytes may have KiB, MiB
// or GiB, seconds may have s, m or h; 0 means no limit; 'default' restores the default. Errors are of type
// *OptionError.
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

// units are the suffixes of values and their factors.
var units = map[string]map[string]int64{
	"bytes":   {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30},
	"seconds": {"s": 1, "m": 60, "h": 3600},
}

// maxValue is greater than any useful limit.
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

// ApplyTo returns base with the owner's limits.
func (c Changed) ApplyTo(base Limits) Limits {
	for _, one := range allLimits {
		if value, ok := c[one.name]; ok {
			base.set(one, value)
		}
	}
	return base
}

// attribute is the name of the limits in an account's attributes.
const attribute = "anonsql_limits"

// FromText parses an account's attributes. It returns nil if they have no limits.
func FromText(attributes string) Changed {
	changed := Changed{}
	if !Kept(attributes, attribute, &changed) {
		return nil
	}
	return changed
}

// Text returns an account's attributes with the limits added; "" if nothing remains.
func (c Changed) Text(attributes string) string {
	if len(c) == 0 {
		return Keep(attributes, attribute, nil)
	}
	return Keep(attributes, attribute, c)
}

// Kept reads the value with a name from an account's attributes, a JSON object. It returns false if there is none.
func Kept(attributes, name string, into any) bool {
	kept := map[string]json.RawMessage{}
	return json.Unmarshal([]byte(attributes), &kept) == nil && json.Unmarshal(kept[name], into) == nil
}

// Keep returns an account's attributes with a value stored under a name, or removed if nil; "" if nothing remains.
func Keep(attributes, name string, value any) string {
	kept := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(attributes), &kept) // attributes that are no object are not ours to keep
	delete(kept, name)
	if value != nil {
		text, _ := json.Marshal(value) // numbers and texts always have JSON
		kept[name] = text
	}
	if len(kept) == 0 {
		return ""
	}
	text, _ := json.Marshal(kept) // valid JSON
	return string(text)
}
