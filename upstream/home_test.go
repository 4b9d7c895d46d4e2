package upstream

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/mysql"
)

func TestWhatTheOwnerIsTold(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		err    error
		number int // 0: told as it is
	}{
		{fmt.Errorf("read: %w", &Error{Number: 1054, State: "42S22", Message: "Unknown column 'a'"}), 1054},
		{errors.Join(nil, fmt.Errorf("read: %w", ErrLost)), 1430},
		{broken, 0},
		{nil, 0},
	} {
		for _, more := range []string{"", "; see there"} {
			if c.err == nil && more != "" {
				continue
			}
			got := clientErrorWith(c.err, more)
			var e *mysql.SQLError
			switch errors.As(got, &e); {
			case c.number == 0 && !errors.Is(got, c.err):
				t.Errorf("%v is told as %v", c.err, got)
			case c.number != 0 && (e == nil || e.Num != c.number):
				t.Errorf("%v is told as %v, must have number %d", c.err, got, c.number)
			case got != nil && !strings.HasSuffix(got.Error(), more) && (e == nil || !strings.HasSuffix(e.Message, more)):
				t.Errorf("%v is told as %v, must end with %q", c.err, got, more)
			}
		}
	}
}
