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

// What the audit says outlives the tables that it is about, so it may have no value
// of theirs. A client can write values as names, and tools do: a pivot table has a
// column for every diagnosis, called after it. So a name stays in the audit only
// where it says nothing that the server did not know:
//
//  1. It is a word of SQL, of a function or procedure, a variable of the server, a
//     collation, a table of information_schema, mysql or anonsql, or a column of one.
//  2. Or it is the name of a database, table, view, procedure or release that was
//     there when the statement began or when it ended. So CREATE USER and DROP
//     RELEASE say what they made and took away, unless they failed at it.
//  3. Or of a column, index or check of a table, view or release that the statement
//     names too. A view's are the names in its text.
//  4. Or of an account, where the statement changes accounts or was denied.
//
// All other names become gate.Masked: aliases, names of common table expressions,
// windows, savepoints, prepared statements, the session's variables, and objects that
// were never made. Where a name stands does not matter: an alias that is also a
// column's name stays, and tells no more than that. Releases, sources and accounts of
// entries obey the same rule. Of a text that was not parsed only words of SQL stay.
//
// This hides no message from who means to send one: known names can be put in an
// order, too.

// digestLength is MySQL's max_digest_length, in bytes.
const digestLength = 1024

// A digest makes what the audit has of one statement. It looks up what the statement
// names, and nothing else: no look reads a file or makes a list of all names.
type digest struct {
	server *instance
	st     *running.Statement
	err    error
	now    catalog.Names
	// words are those of the statement, in lower case, and whether they may stay.
	words map[string]bool
	// seen are the words whose objects were looked up.
	seen  map[string]bool
	views int // of which the texts were read
}

func (s *instance) newDigest(st *running.Statement, err error) *digest {
	return &digest{server: s, st: st, err: err, now: s.store.Names()}
}

// statement is the text as the audit has it.
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

// maxViewTexts bounds the views that are followed.
const maxViewTexts = 256

// find tells whether a word names an object, and lets the names of its parts stay.
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

// keeps tells whether a word of the statement may stay.
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

// objects are the release and the source of an act. Those that it made, or that
// answered, are known though another statement may have dropped them by now.
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

// isKeyword asks the engine's tokenizer. What is no plain word is none, though a name
// in quotes may begin with one.
func isKeyword(word string) bool {
	for i, c := range []byte(word) {
		if letter := c|0x20-'a' < 26 || c == '_'; !letter && (i == 0 || c-'0' > 9) {
			return false
		}
	}
	kind, _ := sqlparser.NewStringTokenizer(word).Scan()
	return kind != sqlparser.ID
}

// names tells whether a word, in lower case, is the name of something that the server
// has in every data directory.
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

// ownNames are the names of the tables of system databases, information_schema and
// mysql and of their columns, and of character sets and collations; those of releases
// change, and are not among them.
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
