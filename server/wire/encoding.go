package wire

import (
	"errors"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
)

// A Session is the catalog's session, for which the engine always answers in UTF-8. The engine would fail a statement over a character that the
// client's character set (character_set_results, as set by SET NAMES) lacks; an encoding replaces it by '?', as MySQL does.
type Session struct {
	*raw.Session
	// Locked is set from LOCK TABLES to UNLOCK TABLES, which commits only then.
	Locked bool
	// Encryption returns the version of TLS and the cipher suite, "" without TLS. May be nil.
	Encryption func() (version, cipher string)
	// Owner is set for a client that another server has authenticated.
	Owner *Owner
	// Gone tells whether the client's account is there no more. May be nil.
	Gone func(sql.Client) bool

	// warnings and errors count those of the last statement; the running statement owns them.
	warnings, errors int64

	engine    atomic.Pointer[source.Beside]
	variables userVariables
	// parameters are the parameters of the running procedure, after those of its callers.
	parameters []map[string]*sql.StoredProcParam
}

// GetCharacterSetResults implements sql.Session.
func (s *Session) GetCharacterSetResults() sql.CharacterSetID {
	if set := s.Session.GetCharacterSetResults(); !(encoding{set}).needed() {
		return set
	}
	return sql.CharacterSet_utf8mb4
}

// An encoding writes answers in a client's character set.
type encoding struct{ set sql.CharacterSetID }

// needed reports whether the client wants another character set than UTF-8.
func (e encoding) needed() bool {
	switch e.set {
	case sql.CharacterSet_Unspecified, sql.CharacterSet_binary, sql.CharacterSet_utf8mb4:
		return false
	}
	return e.set.Encoder() != nil
}

func (e encoding) text(s string) string {
	return string(e.set.Encoder().EncodeReplaceUnknown([]byte(s)))
}

// Fields encodes the names of columns, and sets their character set. It returns the columns whose values must be encoded.
func (e encoding) Fields(fields []*querypb.Field) (texts []int) {
	if !e.needed() {
		return nil
	}
	for i, f := range fields {
		for _, name := range []*string{&f.Name, &f.OrgName, &f.Table, &f.OrgTable, &f.Database} {
			*name = e.message(*name)
		}
		if f.Charset != uint32(sql.CharacterSet_utf8mb4) {
			continue
		}
		f.Charset = uint32(e.set)
		if !isText(f.Type) {
			continue
		}
		texts = append(texts, i)
		// The engine reports the length of TEXT in bytes of the client's set, except for LONGTEXT, where the number would overflow.
		if perCharacter := uint32(sql.CharacterSet_utf8mb4.MaxLength()); f.Type == sqltypes.Text && f.ColumnLength != 1<<32-1 {
			f.ColumnLength = f.ColumnLength / perCharacter * uint32(e.set.MaxLength())
		}
	}
	return texts
}

func isText(t querypb.Type) bool {
	switch t {
	case sqltypes.Char, sqltypes.VarChar, sqltypes.Text, sqltypes.Enum, sqltypes.Set, sqltypes.TypeJSON:
		return true
	}
	return false
}

// rows encodes the values of the columns that fields has returned.
func (e encoding) rows(rows [][]sqltypes.Value, texts []int) {
	for _, row := range rows {
		for _, i := range texts {
			if v := row[i]; !v.IsNull() {
				row[i] = sqltypes.MakeTrusted(v.Type(), e.set.Encoder().EncodeReplaceUnknown(v.Raw()))
			}
		}
	}
}

// message encodes names and messages. Sets in which ASCII has other bytes (UTF-16, UTF-32) have all characters, so nothing needs replacing:
// names and messages stay unchanged.
func (e encoding) message(s string) string {
	if e.text("a") != "a" {
		return s
	}
	return e.text(s)
}

// Error encodes the message.
func (e encoding) Error(err error) error {
	var known *mysql.SQLError
	if err == nil || !e.needed() || !errors.As(err, &known) {
		return err
	}
	encoded := *known
	encoded.Message = e.message(known.Message)
	return &encoded
}
