package server

import (
	"maps"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server/gate"
	"github.com/anonsql/anonsql/server/running"
)

// The audit outlives the tables that its entries mention, so it must not contain their
// values. A client can write values as names, and tools do: a pivot table has a column
// named after every diagnosis. So a name stays in the audit only if the server knew it:
//
//  1. It is a keyword of SQL, a function or procedure, a variable of the server, a
//     collation, a table of information_schema, mysql or anonsql, or a column of one.
//  2. Or it is the name of a database, table, view, procedure or release that existed
//     when the statement began or when it ended. So CREATE USER and DROP RELEASE show
//     what they created or dropped, unless they failed.
//  3. Or of a column, index or check of a table, view or release that the statement
//     also names. For a view these are the names in its text.
//  4. Or of an account, if the statement changes accounts or was denied.
//
// All other names become gate.Masked: aliases, names of common table expressions,
// windows, savepoints, prepared statements, the session's variables, and objects that
// never existed. The position of a name does not matter: an alias that equals a column's
// name stays, and reveals no more than that name. Releases, sources and accounts of
// entries obey the same rule. Of an unparsed text only keywords of SQL stay.
//
// This does not stop a covert channel: the order of known names can carry a message,
// too.

// digestLength is MySQL's max_digest_length, in bytes.
const digestLength = 1024

// A digest makes the audit's text of one statement. It looks up only names in the
// statement; no look-up reads a file or lists all names.
type digest struct {
	server *instance
	st     *running.Statement
	err    error
	now    catalog.Names
	// words are the statement's words, in lower case, and whether they may stay.
	words map[string]bool
	// seen are the words whose objects were looked up.
	seen  map[string]bool
	views int // views whose texts were read
}

func (s *instance) newDigest(st *running.Statement, err error) *digest {
	return &digest{server: s, st: st, err: err, now: s.store.Names()}
}

// statement is the audit's text of the statement.
func (d *digest) statement() string {
	if unparsed(d.err) {
		return gate.Mask(d.st.Text, digestLength)
	}
	d.words, d.seen = map[string]bool{}, map[string]bool{}
	gate.Words(d.st.Text, func(word string) { d.words[strings.ToLower(word)] = false })
	for _, word := range slices.Collect(maps.Keys(d.words)) {
		if d.find(word) {
			d.words[word] = true
		}
	}
	return gate.Digest(d.st.Text, d.keeps, digestLength)
}

// maxViewTexts bounds the number of views whose texts are read.
const maxViewTexts = 256

// find reports whether a word names an object, and lets the names of its parts stay.
func (d *digest) find(word string) bool {
	if d.seen[word] {
		return d.words[word]
	}
	d.seen[word] = true
	part := func(name string) { d.stays(strings.ToLower(name)) }
	var texts []string
	view := func(text string) { texts = append(texts, text) }
	before := d.st.Before.Find(word, catalog.Names{}, part, view)
	after := d.now.Find(word, d.st.Before, part, view)
	for _, text := range texts {
		if d.views++; d.views > maxViewTexts {
			break
		}
		gate.Words(text, func(name string) {
			part(name)
			d.find(strings.ToLower(name))
		})
	}
	return before || after
}

func (d *digest) stays(name string) {
	if _, ok := d.words[name]; ok {
		d.words[name] = true
	}
}

// keeps reports whether a word of the statement may stay.
func (d *digest) keeps(word string) bool {
	lower := strings.ToLower(word)
	if d.words[lower] || d.server.provider.names(lower) || isKeyword(lower) {
		return true
	}
	if d.st.Accounts()[word] {
		return true
	}
	return (outcome(d.err) == "denied" || d.st.Accounts() != nil) && d.server.accounts.Has(word)
}

// objects are the release and the source of an act, masked if the server does not know them. It knows
// those that the act made, or that answered, even if another statement has dropped them meanwhile.
func (d *digest) objects(a running.Act) (release, source string) {
	release, source = a.Release, a.Source
	made := d.err == nil && (a.Kind == publishKind || a.Kind == importKind)
	if made || a.Kind == estimateKind {
		return release, source
	}
	if release != "" && !d.st.Before.Release(release) && !d.now.Release(release) && !d.table(release) {
		release = gate.Masked
	}
	if source != "" && !d.table(source) {
		source = gate.Masked
	}
	return release, source
}

func (d *digest) table(name string) bool { return d.st.Before.Table(name) || d.now.Table(name) }

// isKeyword asks the engine's tokenizer about a plain word; a quoted name may begin
// with a keyword.
func isKeyword(word string) bool {
	for i, c := range []byte(word) {
		if letter := c|0x20-'a' < 26 || c == '_'; !letter && (i == 0 || c-'0' > 9) {
			return false
		}
	}
	kind, _ := sqlparser.NewStringTokenizer(word).Scan()
	return kind != sqlparser.ID
}

// names reports whether a word, in lower case, names something that every server has.
func (p *Provider) names(word string) bool {
	if variable, ok := strings.CutPrefix(word, "@@"); ok {
		word = variable
	}
	if p.functions[word] != nil || p.tableFunctions[word] != nil || p.procedures[word] != nil || p.own[word] {
		return true
	}
	_, _, ok := sql.SystemVariables.GetGlobal(word)
	return ok
}

// ownNames are the names of tables and columns of system databases, information_schema
// and mysql, and of character sets and collations. The changing names of releases are
// not among them.
func ownNames(databases []sql.Database) map[string]bool {
	own := map[string]bool{"localhost": true}
	ctx := sql.NewEmptyContext()
	for _, db := range databases {
		own[strings.ToLower(db.Name())] = true
		if db.Name() == catalog.PublishedDatabaseName {
			continue
		}
		tables, err := db.GetTableNames(ctx)
		if err != nil {
			continue // they are masked, then
		}
		for _, name := range tables {
			own[strings.ToLower(name)] = true
			if table, ok, err := db.GetTableInsensitive(ctx, name); ok && err == nil {
				for _, c := range table.Schema() {
					own[strings.ToLower(c.Name)] = true
				}
			}
		}
	}
	for collations := sql.NewCollationsIterator(); ; {
		c, ok := collations.Next()
		if !ok {
			return own
		}
		own[c.Name], own[c.CharacterSet.Name()] = true, true
	}
}
