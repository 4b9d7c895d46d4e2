package upstream

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/quoting"
)

// An upstream server that refuses some CREATE, and every DROP.
type refusing struct{ creates, dropped int }

func (r *refusing) Query(_ context.Context, text string, _ func([][]byte) error) error {
	switch verb, _, _ := strings.Cut(text, " "); verb {
	case "CREATE":
		if r.creates--; r.creates < 0 {
			return &Error{Number: 1142, State: "42000", Message: "CREATE command denied"}
		}
	case "DROP":
		r.dropped++
		return &Error{Number: 1142, State: "42000", Message: "DROP command denied"}
	}
	return nil
}

// An error names the temporary tables that may remain, and none whose CREATE was refused.
func TestOnlyTablesThatWereMadeAreNamed(t *testing.T) {
	for creates, left := range []string{"", "you can drop them: `shown`.`anonsql_m_0`"} {
		r := &refusing{creates: creates}
		empty := source.Relation{Schema: sql.Schema{}, Rows: func(*sql.Context) (sql.RowIter, error) { return sql.RowsToRowIter(), nil }}
		err := (&Home{Asker: r}).Keep(sql.NewContext(t.Context()), source.Kept{Database: "shown", Mark: "m"}, &table{}, []source.Relation{empty, empty})
		if err == nil || !strings.Contains(err.Error(), "CREATE command denied") || strings.Contains(err.Error(), "anonsql_m_1") {
			t.Errorf("after %d tables: %v", creates, err)
		}
		if says := strings.Contains(err.Error(), "some may be left"); says != (left != "") || !strings.Contains(err.Error(), left) || r.dropped != creates {
			t.Errorf("after %d tables, with %d dropped: %v", creates, r.dropped, err)
		}
	}
}

// A shelf is an upstream server with tables in database shown, and their comments. After its last answer it has left.
type shelf struct {
	comments map[string]string
	answers  int
	renamed  error // that the first RENAME returns, which is done unless it is an *Error
}

func (s *shelf) Query(_ context.Context, text string, row func([][]byte) error) (err error) {
	if s.answers--; s.answers < 0 {
		return ErrLost
	}
	switch verb, rest, _ := strings.Cut(text, " TABLE "); verb {
	case "RENAME":
		err, s.renamed = s.renamed, nil
		if refused := (*Error)(nil); errors.As(err, &refused) {
			return err
		}
		for move := range strings.SplitSeq(rest, ", ") {
			from, to, _ := strings.Cut(move, " TO ")
			s.comments[to] = s.comments[from]
			delete(s.comments, from)
		}
	case "DROP":
		for name := range strings.SplitSeq(strings.TrimPrefix(rest, "IF EXISTS "), ", ") {
			delete(s.comments, name)
		}
	default:
		_, mark, marked := strings.Cut(text, "TABLE_COMMENT = ")
		for name, comment := range s.comments {
			table := [][]byte{[]byte(strings.Trim(strings.TrimPrefix(name, "`shown`."), "`")), []byte(comment)}
			if !marked {
				err = row(table)
			} else if strings.HasPrefix(mark, quoting.Hex(comment)) {
				err = row(table[:1])
			}
		}
	}
	return err
}

// A RENAME without an answer is undone; if that fails, the error has both names. The tables of the release to be replaced stay.
func TestRenameWithoutAnAnswer(t *testing.T) {
	k, old := source.Kept{Database: "shown", Mark: "bb"}, source.Kept{Database: "shown", Mark: "aa"}
	before := map[string]string{"`shown`.`p_sa`": "anonsql aa"}
	for name, c := range map[string]struct {
		s     shelf
		left  map[string]string
		tells string
	}{
		"undone":  {shelf{answers: 9, renamed: ErrLost}, before, ""},
		"refused": {shelf{answers: 9, renamed: &Error{Number: 1142, State: "42000", Message: "denied"}}, before, "denied"},
		"left": {shelf{answers: 2, renamed: ErrLost}, map[string]string{"`shown`.`p_sa`": "anonsql bb", "`shown`.`anonsql_aa_0`": "anonsql aa"}, "you can drop them: " +
			"`shown`.`anonsql_bb_0`; or their own, and then this has to be done before: RENAME TABLE `shown`.`p_sa` TO `shown`.`anonsql_bb_0`, `shown`.`anonsql_aa_0` TO `shown`.`p_sa`"},
	} {
		c.s.comments = maps.Clone(before)
		c.s.comments["`shown`.`anonsql_bb_0`"] = "anonsql bb"
		h, ctx := &Home{Asker: &c.s}, sql.NewContext(t.Context())
		var noted []source.Move
		_, err := h.Rename(ctx, k, []source.Relation{{Name: "p_sa"}}, []source.Kept{old}, func(back []source.Move) error {
			noted = back
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), c.tells) || !maps.Equal(c.s.comments, c.left) {
			t.Errorf("%s: %v leaves %q", name, err, c.s.comments)
		}
		c.s.answers = 9
		if _, err := h.Recover(ctx, k, []string{"p_sa"}, noted); err != nil || !maps.Equal(c.s.comments, before) {
			t.Errorf("%s: recovered are %q, %v", name, c.s.comments, err)
		}
	}
}

// A RENAME that is undone late moves no table of another release, which has the name by now.
func TestLaterReleasesKeepTheirNames(t *testing.T) {
	const visits, old, made = "`shown`.`visits`", "`shown`.`anonsql_99_0`", "`shown`.`anonsql_aa_0`"
	back := []source.Move{{From: visits, To: made}, {From: old, To: visits}}
	for name, test := range map[string]struct{ comments, left map[string]string }{
		"its own":     {map[string]string{visits: "anonsql aa", old: "anonsql 99"}, map[string]string{visits: "anonsql 99"}},
		"another's":   {map[string]string{visits: "anonsql bb"}, map[string]string{visits: "anonsql bb"}},
		"the owner's": {map[string]string{visits: ""}, map[string]string{visits: ""}},
		"half done":   {map[string]string{made: "anonsql aa", old: "anonsql 99"}, map[string]string{visits: "anonsql 99"}},
		"all gone":    {map[string]string{}, map[string]string{}},
	} {
		s := &shelf{comments: test.comments, answers: 9}
		_, err := (&Home{Asker: s}).Recover(sql.NewContext(t.Context()), source.Kept{Database: "shown", Mark: "aa"}, []string{"visits"}, back)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !maps.Equal(s.comments, test.left) {
			t.Errorf("%s: it leaves %q, want %q", name, s.comments, test.left)
		}
	}
}
