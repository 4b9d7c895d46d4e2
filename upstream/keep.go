package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/quoting"
)

var _ source.Keeper = (*Home)(nil)

// longestInsert is the length at which an INSERT is sent. Servers accept at least 1 MB (max_allowed_packet).
const longestInsert = 1 << 18

// temporary names a relation's table before it is renamed and after it is replaced.
func temporary(k source.Kept, i int) string { return fmt.Sprintf("anonsql_%s_%d", k.Mark, i) }

// comment returns the comment that marks our tables.
func comment(k source.Kept) string { return "anonsql " + k.Mark }

// Admit implements source.Keeper. Existing tables of ours may be those of the replaced release, which Rename moves.
func (h *Home) Admit(ctx *sql.Context, k source.Kept, names []string) error {
	if err := h.Asker.Query(ctx, "SHOW TABLES FROM "+quoting.Name(k.Database), ignore); err != nil {
		return clientError(err)
	}
	for _, name := range names {
		foreign := false
		err := h.Asker.Query(ctx, fmt.Sprintf("SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s AND TABLE_COMMENT NOT LIKE 'anonsql %%'",
			quoting.Hex(k.Database), quoting.Hex(name)), func([][]byte) error { foreign = true; return nil })
		if err != nil {
			return clientError(err)
		}
		if foreign {
			return mysql.NewSQLError(mysql.ERTableExists, "42S01", "the upstream server has a table %s, which is not anonsql's", quoting.Name(k.Database, name))
		}
	}
	if !h.Holds(ctx, k.Database, "", sql.PrivilegeType_Create, sql.PrivilegeType_Insert, sql.PrivilegeType_Alter, sql.PrivilegeType_Drop) {
		return mysql.NewSQLError(mysql.ERDBAccessDenied, "42000", "store=upstream needs CREATE, INSERT, ALTER and DROP on database %s of the upstream server", quoting.Name(k.Database))
	}
	return nil
}

// Keep implements source.Keeper.
func (h *Home) Keep(ctx *sql.Context, k source.Kept, of source.Table, relations []source.Relation) error {
	raw, ok := of.(*table)
	if !ok {
		return fmt.Errorf("%s.%s is not a table of this server", of.Database(), of.Name())
	}
	var made []string
	for i, r := range relations {
		made = append(made, quoting.Name(k.Database, temporary(k, i)))
		err := h.Asker.Query(ctx, raw.create(made[i], comment(k), r.Schema), ignore)
		if refused := (*Error)(nil); errors.As(err, &refused) { // no table was created
			return h.failed(ctx, err, made[:i])
		}
		if err == nil {
			err = h.fill(ctx, made[i], r)
		}
		if err != nil {
			return h.failed(ctx, err, made)
		}
	}
	return nil
}

// failed drops the created tables and says which may be left.
func (h *Home) failed(ctx *sql.Context, err error, made []string) error {
	if len(made) == 0 {
		return clientError(err)
	}
	after := ctx.WithContext(context.WithoutCancel(ctx))
	if dropped := h.Asker.Query(after, "DROP TABLE IF EXISTS "+strings.Join(made, ", "), ignore); dropped != nil {
		return clientErrorWith(err, "; of these temporary tables some may be left, and you can drop them: "+strings.Join(made, ", "))
	}
	return clientError(err)
}

// create writes CREATE TABLE. A column of the raw table keeps its type.
func (t *table) create(name, mark string, schema sql.Schema) string {
	columns := make([]string, len(schema))
	for i, c := range schema {
		columns[i] = quoting.Name(c.Name) + " " + t.keptType(c) + " NULL"
	}
	return fmt.Sprintf("CREATE TABLE %s (%s) CHARACTER SET utf8mb4 COMMENT = '%s'", name, strings.Join(columns, ", "), mark)
}

func (t *table) keptType(c *sql.Column) string {
	typ := coding.TypeText(c.Type)
	at := slices.IndexFunc(t.columns, func(r *column) bool { return r.name == c.Name && coding.TypeText(r.typ) == typ })
	switch {
	case at >= 0:
		declared, collation := t.columns[at].declared, t.columns[at].collation
		if set, _, ok := strings.Cut(collation, "_"); ok {
			declared += " CHARACTER SET " + set + " COLLATE " + collation
		}
		return declared
	case coding.KindOf(c.Type) == coding.KindText:
		return "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
	}
	return typ
}

// fill inserts the rows of a relation in order.
func (h *Home) fill(ctx *sql.Context, name string, r source.Relation) error {
	rows, err := r.Rows(ctx)
	if err != nil {
		return err
	}
	defer rows.Close(ctx)
	var insert strings.Builder
	send := func() error {
		defer insert.Reset()
		return h.Asker.Query(ctx, insert.String(), ignore)
	}
	for {
		row, err := rows.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if insert.Len() == 0 {
			insert.WriteString("INSERT INTO " + name + " VALUES ")
		} else {
			insert.WriteByte(',')
		}
		for i, v := range row {
			text, err := valueText(r.Schema[i].Type, v)
			if err != nil {
				return fmt.Errorf("column %s of %s: %w", r.Schema[i].Name, r.Name, err)
			}
			insert.WriteString([]string{"(", ","}[min(i, 1)] + text)
		}
		insert.WriteByte(')')
		if insert.Len() >= longestInsert {
			if err := send(); err != nil {
				return err
			}
		}
	}
	if insert.Len() > 0 {
		return send()
	}
	return nil
}

// valueText writes a value as a literal that does not depend on the session's variables.
func valueText(typ sql.Type, v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "NULL", nil
	case string:
		return quoting.Hex(v), nil
	case []byte:
		return fmt.Sprintf("X'%x'", v), nil
	case time.Time:
		if typ.Type() == query.Type_TIMESTAMP {
			return fmt.Sprintf("FROM_UNIXTIME(%d.%06d)", v.Unix(), v.Nanosecond()/1000), nil
		}
		return quoting.Hex(v.Format("2006-01-02 15:04:05.000000")), nil
	case types.Timespan:
		return quoting.Hex(v.String()), nil
	case float64:
		return strconv.FormatFloat(v, 'e', -1, 64), nil
	case float32:
		return strconv.FormatFloat(float64(v), 'e', -1, 32), nil
	case int8, int16, int32, int64, uint8, uint32:
		return fmt.Sprint(v), nil
	case uint16:
		if enum, ok := typ.(sql.EnumType); ok {
			member, _ := enum.At(int(v))
			return quoting.Hex(member), nil
		}
		return fmt.Sprint(v), nil
	case uint64:
		if set, ok := typ.(sql.SetType); ok {
			members, err := set.BitsToString(v)
			return quoting.Hex(members), err
		}
		return fmt.Sprint(v), nil
	case fmt.Stringer:
		if types.IsDecimal(typ) {
			return v.String(), nil
		}
	}
	return "", fmt.Errorf("a %T has no literal", v)
}

// Upstream implements source.Keeper.
func (h *Home) Upstream() string { return h.Server }

// Rename implements source.Keeper.
func (h *Home) Rename(
	ctx *sql.Context, k source.Kept, relations []source.Relation, replaced []source.Kept, note func(back []source.Move) error,
) (func(ctx *sql.Context) error, error) {
	var moves, back []source.Move
	var made []string
	move := func(from, to string) {
		moves, back = append(moves, source.Move{From: from, To: to}), append(back, source.Move{From: to, To: from})
	}
	for i := range relations {
		made = append(made, quoting.Name(k.Database, temporary(k, i)))
	}
	for _, old := range replaced {
		names, err := h.marked(ctx, old)
		if err != nil {
			return nil, h.failed(ctx, err, made)
		}
		for i, name := range names {
			if old.Database == k.Database && slices.ContainsFunc(relations, func(r source.Relation) bool { return strings.EqualFold(r.Name, name) }) {
				move(quoting.Name(old.Database, name), quoting.Name(old.Database, temporary(old, i)))
			}
		}
	}
	for i, r := range relations {
		move(made[i], quoting.Name(k.Database, r.Name))
	}
	slices.Reverse(back)
	if err := note(back); err != nil {
		return nil, h.failed(ctx, err, made)
	}
	if err := h.rename(ctx, moves); err != nil {
		return nil, h.notRenamed(ctx, k, err, made, back)
	}
	return func(ctx *sql.Context) error {
		if err := h.rename(ctx, back); err != nil {
			return clientErrorWith(err, "; this is left to be done: "+renaming(back))
		}
		return nil
	}, nil
}

// notRenamed is failed after a RENAME. Unless upstream has refused the RENAME, it may have happened: then notRenamed first undoes it.
func (h *Home) notRenamed(ctx *sql.Context, k source.Kept, err error, made []string, back []source.Move) error {
	if refused := (*Error)(nil); !errors.As(err, &refused) && h.moveBack(ctx.WithContext(context.WithoutCancel(ctx)), k, back) != nil {
		return clientErrorWith(err, "; the next store=upstream publication drops the tables. They have temporary names, and you can drop them: "+
			strings.Join(made, ", ")+"; or their own, and then this has to be done before: "+renaming(back))
	}
	return h.failed(ctx, err, made)
}

func (h *Home) rename(ctx *sql.Context, moves []source.Move) error {
	return h.Asker.Query(ctx, renaming(moves), ignore)
}

// renaming returns the statement that does all moves or none.
func renaming(moves []source.Move) string {
	texts := make([]string, len(moves))
	for i, m := range moves {
		texts[i] = m.From + " TO " + m.To
	}
	return "RENAME TABLE " + strings.Join(texts, ", ")
}

// marked returns the names of the tables with a mark.
func (h *Home) marked(ctx *sql.Context, k source.Kept) (names []string, err error) {
	err = h.Asker.Query(ctx, fmt.Sprintf("SELECT %s FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s AND TABLE_COMMENT = %s ORDER BY TABLE_NAME",
		bytesOf("TABLE_NAME"), quoting.Hex(k.Database), quoting.Hex(comment(k))), func(v [][]byte) error {
		if len(v) == 1 {
			names = append(names, string(v[0]))
		}
		return nil
	})
	return names, err
}

// temporaryName matches the names that temporary returns.
var temporaryName = regexp.MustCompile(`^anonsql_([0-9a-f]+)_[0-9]+$`)

// findOwned returns the paths of the tables that have both the mark and one of its names.
// CREATE TABLE ... LIKE copies the comment, but an owner's copy has another name.
func (h *Home) findOwned(ctx *sql.Context, k source.Kept, names []string) (paths []string, err error) {
	marked, err := h.marked(ctx, k)
	for _, name := range marked {
		parts := temporaryName.FindStringSubmatch(strings.ToLower(name))
		if parts != nil && parts[1] == k.Mark || slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
			paths = append(paths, quoting.Name(k.Database, name))
		}
	}
	return paths, err
}

// Discard implements source.Keeper. A table that an owner put in place of ours has no mark and stays.
func (h *Home) Discard(ctx *sql.Context, k source.Kept, names []string) error {
	_, err := h.Recover(ctx, k, names, nil)
	return err
}

// Recover implements source.Keeper.
func (h *Home) Recover(ctx *sql.Context, k source.Kept, names []string, back []source.Move) ([]string, error) {
	if len(back) > 0 {
		if err := h.moveBack(ctx, k, back); err != nil {
			return nil, clientError(err)
		}
	}
	paths, err := h.findOwned(ctx, k, names)
	if err != nil || len(paths) == 0 {
		return nil, clientError(err)
	}
	if err := h.Asker.Query(ctx, "DROP TABLE IF EXISTS "+strings.Join(paths, ", "), ignore); err != nil {
		return nil, clientErrorWith(err, "; these tables of the release may be left: "+strings.Join(paths, ", "))
	}
	return paths, nil
}

// moveBack undoes a RENAME as far as it happened. It moves only existing tables, with the mark in the move's temporary name, to names that are free.
func (h *Home) moveBack(ctx *sql.Context, k source.Kept, back []source.Move) error {
	comments := make(map[string]string) // by table
	err := h.Asker.Query(ctx, fmt.Sprintf("SELECT %s, %s FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s",
		bytesOf("TABLE_NAME"), bytesOf("TABLE_COMMENT"), quoting.Hex(k.Database)), func(v [][]byte) error {
		comments[strings.ToLower(quoting.Name(k.Database, string(v[0])))] = string(v[1])
		return nil
	})
	if err != nil {
		return err
	}
	var moves []source.Move
	for _, m := range back {
		from, to := strings.ToLower(m.From), strings.ToLower(m.To)
		mark, marked := strings.CutPrefix(comments[from], "anonsql ")
		if _, taken := comments[to]; marked && strings.Contains(from+to, "`anonsql_"+mark+"_") && !taken {
			moves = append(moves, m)
			comments[to] = comments[from]
			delete(comments, from)
		}
	}
	if len(moves) == 0 {
		return nil
	}
	return h.rename(ctx, moves)
}
