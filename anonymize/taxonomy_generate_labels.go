package anonymize

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// PrefixPaths groups codes by their first characters. keep has the number of kept characters by
// level; '*' replaces the others.
func PrefixPaths(c *Column, keep []int, show func(Value) string) ([][]string, error) {
	leaves, err := occurring(c)
	if err != nil {
		return nil, err
	}
	texts, longest := make([][]rune, len(leaves)), 0
	for i, v := range leaves {
		text := show(v)
		if !utf8.ValidString(text) {
			return nil, &DataError{fmt.Sprintf("column %s has values that are no text", c.Name)}
		}
		texts[i] = []rune(text)
		longest = max(longest, len(texts[i]))
	}
	levels, err := levelsBelow("prefix", keep, longest, "must be numbers of characters to keep, each once, from 1 to %d: the longest value has %d")
	if err != nil {
		return nil, err
	}
	if len(levels) == 0 {
		return nil, &ParameterError{"prefix", "''", "must be numbers of characters to keep, such as 1,3"}
	}
	return pathsOf(leaves, len(levels), show, func(leaf, level int) string {
		text, n := texts[leaf], levels[level]
		return string(text[:min(n, len(text))]) + strings.Repeat("*", longest-n)
	}), nil
}

// dateParts are the levels of DatePaths, finest first. Each part consists of whole parts of the
// level before it.
var dateParts = []struct {
	name  string
	label func(time.Time) string
}{
	{"day", func(t time.Time) string { return t.Format("2006-01-02") }},
	{"month", func(t time.Time) string { return t.Format("2006-01") }},
	{"quarter", func(t time.Time) string { return fmt.Sprintf("%d-Q%d", t.Year(), (int(t.Month())+2)/3) }},
	{"year", func(t time.Time) string { return t.Format("2006") }},
	{"decade", func(t time.Time) string { return fmt.Sprintf("[%d-%d]", t.Year()/10*10, t.Year()/10*10+9) }},
}

// DatePaths groups points in time by parts of the date: day, month, quarter, year, decade,
// given in any order.
func DatePaths(c *Column, parts []string, show func(Value) string) ([][]string, error) {
	var levels []int
	for _, part := range parts {
		known := -1
		for i, p := range dateParts {
			if strings.EqualFold(p.name, part) {
				known = i
			}
		}
		if known < 0 || slices.Contains(levels, known) {
			return nil, &ParameterError{"date", "'" + part + "'", "must be parts of a date, each once: day, month, quarter, year, decade"}
		}
		levels = append(levels, known)
	}
	if len(levels) == 0 {
		return nil, &ParameterError{"date", "''", "must be parts of a date such as month,year"}
	}
	slices.SortFunc(levels, cmp.Compare[int])
	leaves, err := leavesOf(c)
	if err != nil {
		return nil, err
	}
	for _, v := range leaves {
		if v.Kind != Instant {
			return nil, &DataError{fmt.Sprintf("column %s has no dates: %s is none", c.Name, v)}
		}
	}
	return pathsOf(leaves, len(levels), show, func(leaf, level int) string {
		return dateParts[levels[level]].label(time.UnixMicro(leaves[leaf].Int).UTC())
	}), nil
}
