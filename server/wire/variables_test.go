package wire

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/variables"

	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/values"
)

// A session's user variables have a bounded total size; shortening one makes room.
func TestUserVariablesAreBounded(t *testing.T) {
	const most = 1 << 20
	variables.InitSystemVariables()
	if err := sql.SystemVariables.AssignValues(map[string]any{"max_allowed_packet": int64(most)}); err != nil {
		t.Fatal(err)
	}
	half := strings.Repeat("x", most/2)
	var v userVariables
	for _, c := range []struct {
		name    string
		value   any
		refused bool
	}{
		{"a", half, false}, {"b", half, true}, {"A", half, false}, {"b", half[:most/4], false}, {"b", half, true}, {"c", []byte(half), true},
		{"a", nil, false}, {"b", half, false}, {"a", 7, false}, {"c", half, true},
	} {
		err := v.add(c.name, c.value)
		if (err != nil) != c.refused || c.refused && sqlerror.Number(err) != sqlerror.Capacity {
			t.Errorf("@%s of %d bytes: %v", c.name, values.SizeOf(c.value, most), err)
		}
	}
	if len(v.take()) != 2 || v.add("c", half+half[:most/4]) != nil {
		t.Error("variables that are forgotten take room")
	}
	n := 0
	for n = range most {
		if v.add(strings.Repeat("n", n%999)+string(rune('a'+n/999%26)), n) != nil {
			break
		}
	}
	if n >= most/variableSize {
		t.Errorf("%d names fit", n)
	}
}
