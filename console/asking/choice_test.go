package asking

import (
	"strings"
	"testing"
)

// TestConditionsOfFields: the form's fields give the conditions that their words describe.
func TestConditionsOfFields(t *testing.T) {
	columns := []Column{{Name: "age", Kind: Number}, {Name: "remote", Kind: Number}, {Name: "seen", Kind: Date}, {Name: "town", Kind: Text},
		{Name: "at", Kind: Date, Type: "datetime"}, {Name: "on", Kind: Date, Type: "TIMESTAMP"}}
	for _, c := range []struct {
		column, operator, value, want, doubt string
	}{
		{"town", "IN", "(Oslo, Rome)", "town IN ('Oslo', 'Rome')", ""},
		{"town", "IN", "Oslo, Rome", "town IN ('Oslo', 'Rome')", ""},
		{"age", "IN", "20, 30", "age IN (20, 30)", ""},
		{"age", "IN", "1, 2,", "age IN (1, 2)", ""},
		{"age", "IN", " , (,", "age IN ('(')", `"("`},
		{"age", "IN", "( , )", "", ""},
		{"at", "IN", ", 2024-12-31,", "at >= '2024-12-31' AND at < '2025-01-01'", ""},
		{"town", "IN", "(a), b (c)", "town IN ('(a)', 'b (c)')", ""},
		{"town", "IN", "Oslo (N)", "town IN ('Oslo (N)')", ""},
		{"town", "IN", "((a))", "town IN ('((a))')", ""},
		{"town", "=", "", "town = ''", ""},
		{"town", "<>", " ", "town <> ''", ""},
		{"age", "=", "", "", ""},
		{"seen", ">=", "", "", ""},
		{"town", "LIKE", "", "", ""},
		{"town", "LIKE", `5%_\`, `town LIKE '%5\\%\\_\\\\%'`, ""},
		{"remote", "=", "true", "remote = TRUE", ""},
		{"age", ">=", "30.5", "age >= 30.5", ""},
		{"age", ">=", "30,5", "age >= '30,5'", `"30`},
		{"age", "=", "many", "age = 'many'", `"many"`},
		{"nothing", "=", "1", "", ""},
		{"seen", "<=", "2024-12-31", "seen <= '2024-12-31'", ""},
		{"at", "<=", "2024-12-31", "at < '2025-01-01'", ""},
		{"at", "<=", "2024-12-31 10:00", "at <= '2024-12-31 10:00'", ""},
		{"at", ">=", "2024-12-31", "at >= '2024-12-31'", ""},
		{"at", "", "2024-2-28", "at >= '2024-02-28' AND at < '2024-02-29'", ""},
		{"on", "<>", "2024-12-31", "(`on` < '2024-12-31' OR `on` >= '2025-01-01')", ""},
		{"at", "IN", "(2024-12-31, 2025-02-28)", "(at >= '2024-12-31' AND at < '2025-01-01' OR at >= '2025-02-28' AND at < '2025-03-01')", ""},
		{"at", "IN", "2024-12-31, 2024-12-30 8:00", "(at >= '2024-12-31' AND at < '2025-01-01' OR at IN ('2024-12-30 8:00'))", ""},
		{"at", "IN", "2024-12-31", "at >= '2024-12-31' AND at < '2025-01-01'", ""},
		{"at", "LIKE", "2024-12-31", "at LIKE '%2024-12-31%'", ""},
		{"at", "=", "2024-02-30", "at = '2024-02-30'", ""},
		{"at", "<=", "9999-12-31", "at <= '9999-12-31'", ""},
	} {
		choice := Choice{Release: "p", Where: []Condition{{c.column, c.operator, c.value}}}
		_, where, _ := strings.Cut(choice.Statement(columns), "\nWHERE ")
		if where != c.want {
			t.Errorf("%s %s %q: %s, want %s", c.column, c.operator, c.value, where, c.want)
		}
		if doubt := choice.Doubt(columns); !strings.Contains(doubt, c.doubt) || c.doubt == "" && doubt != "" {
			t.Errorf("%s %s %q: %q, want %q", c.column, c.operator, c.value, doubt, c.doubt)
		}
	}
}
