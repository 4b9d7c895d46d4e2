package upstream

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/quoting"
)

var _ source.Keyed = (*table)(nil)

// PrimaryKey implements source.Keyed. A unique key without NULL replaces a missing primary key.
func (t *table) PrimaryKey(ctx *sql.Context, released []string) (*source.Key, error) {
	key := &source.Key{}
	for _, c := range t.columns {
		if c.primary {
			key.Primary = append(key.Primary, source.KeyColumn{Name: c.name, Type: c.declared, Collation: c.collation})
		}
	}
	if len(key.Primary) == 0 {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("%s.%s has no primary key, by which a release that follows it knows a record again: "+
			"ALTER TABLE %s.%s ADD PRIMARY KEY (...) gives it one, and updates=none publishes without following", t.schema, t.Name(), quoting.Name(t.schema), quoting.Name(t.Name()))}
	}
	slices.SortFunc(key.Primary, func(a, b source.KeyColumn) int { return strings.Compare(a.Name, b.Name) })
	columns, err := t.pick(released)
	if err != nil {
		return nil, err
	}
	for _, c := range columns {
		key.Released = append(key.Released, source.KeyColumn{Name: c.name, Collation: c.collation})
	}
	err = t.home.Asker.Query(ctx, "SELECT UNIX_TIMESTAMP(CREATE_TIME) "+t.listed(), func(v [][]byte) error {
		if len(v) == 1 {
			key.Created = string(v[0]) // NULL if the storage engine does not know it
		}
		return nil
	})
	return key, clientError(err)
}

// MicrodataByKey implements source.Keyed. One SELECT reads keys and columns.
func (t *table) MicrodataByKey(ctx *sql.Context, names []string, key *source.Key, progress func(done, total int)) (*anonymize.Microdata, []int64, error) {
	numbers := &numbering{hash: hmac.New(sha256.New, key.Secret)}
	for _, k := range key.Primary {
		columns, err := t.pick([]string{k.Name})
		if err != nil {
			return nil, nil, err
		}
		numbers.ask = append(numbers.ask, columns[0].ask)
	}
	data, err := t.microdata(ctx, names, numbers, progress)
	return data, numbers.numbers, err
}

// A numbering numbers records by a hash of their primary key: different keys have different
// numbers except with a probability of 2^-63 per pair. A nil numbering does nothing.
type numbering struct {
	hash    hash.Hash
	ask     []string // the columns of the key as they are selected
	numbers []int64
	sum     []byte
}

// begin resets the numbering and returns the columns to select.
func (n *numbering) begin(rows int) []string {
	if n == nil {
		return nil
	}
	n.numbers = make([]int64, 0, rows)
	return n.ask
}

// add adds the key of a record.
func (n *numbering) add(values [][]byte) {
	if n == nil {
		return
	}
	n.hash.Reset()
	var length [8]byte
	for _, v := range values {
		binary.BigEndian.PutUint64(length[:], uint64(len(v)))
		n.hash.Write(length[:])
		n.hash.Write(v)
	}
	n.sum = n.hash.Sum(n.sum[:0])
	n.numbers = append(n.numbers, max(1, int64(binary.BigEndian.Uint64(n.sum)>>1)))
}

// AsSpelled implements source.Keyed. Only texts that are in just one of the columns can be spellings of each other.
func (t *table) AsSpelled(ctx *sql.Context, c, known *anonymize.Column) (*anonymize.Column, error) {
	of, err := t.pick([]string{c.Name})
	if err != nil {
		return nil, err
	}
	if !of[0].text {
		return c, nil
	}
	spelled, err := t.spellings(ctx, of[0], lacking(c, known), lacking(known, c))
	if err != nil {
		return nil, clientError(err)
	}
	values := make([]anonymize.Value, len(c.Dictionary))
	for code, v := range c.Dictionary {
		values[code] = v
		if text, ok := spelled[v.Text]; ok && v.Kind == anonymize.Text {
			values[code] = anonymize.TextValue(text)
		}
	}
	renamed := &anonymize.Column{Name: c.Name, Type: c.Type, Codes: slices.Clone(c.Codes)}
	coding.SortDictionary(renamed, values)
	both := &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: slices.Clone(renamed.Dictionary)}
	for _, text := range lacking(known, renamed) {
		both.Dictionary = append(both.Dictionary, anonymize.TextValue(text))
	}
	return renamed, of[0].tellsApart(both)
}

// lacking returns the texts of a column that another one lacks.
func lacking(c, other *anonymize.Column) (texts []string) {
	has := make(map[anonymize.Value]bool, len(other.Dictionary))
	for _, v := range other.Dictionary {
		has[v] = true
	}
	for _, v := range c.Dictionary {
		if v.Kind == anonymize.Text && !has[v] {
			texts = append(texts, v.Text)
		}
	}
	return texts
}

// spellings maps texts to the known text that upstream considers equal. Neither list has two equal texts.
func (t *table) spellings(ctx *sql.Context, c *column, texts, known []string) (map[string]string, error) {
	spelled := make(map[string]string)
	for some := range slices.Chunk(texts, maxNamed) {
		for others := range slices.Chunk(known, maxNamed) {
			classes, err := t.classesOf(ctx, c, slices.Concat(some, others))
			if err != nil {
				return nil, err
			}
			of := make(map[int64]string, len(others))
			for _, text := range others {
				of[classes[text]] = text
			}
			for _, text := range some {
				if other, ok := of[classes[text]]; ok {
					spelled[text] = other
				}
			}
		}
	}
	return spelled, nil
}
