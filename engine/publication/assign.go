package publication

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/dialect"
)

// An Attempt is one run of a plan. Its name is part of its tables' names.
type Attempt struct {
	engine *Engine
	plan   *Plan
	name   string
	// Fragments are the relations, tables of the schema Private until Publish: the quasi-identifiers
	// in one or several, then the sensitive attribute, each with gid and count.
	Fragments []Relation
	// Numbers bounds the gids, from 0 to Numbers-1. A few of them have no group.
	Numbers int64
	Groups  int64
	schema  string // has the relations
	source  string // the table that has every record's group
	rounds  int    // of merges begun, -1 for none
}

// prefix begins the names of all our tables.
const prefix = "anonsql_"

// The tables of an attempt in the schema Private.
const (
	keyTable, blockTable, offsetTable, sizeTable, assignedTable = "key", "blocks", "offsets", "sizes", "assigned"
)

// table names a table that links records to groups.
func (a *Attempt) table(of string) string {
	return a.engine.Dialect.Name(a.engine.Catalog, a.engine.Private, prefix+a.name+"_"+of)
}

// relation returns a relation's qualified name.
func (a *Attempt) relation(r Relation) string {
	return a.engine.Dialect.Name(a.engine.Catalog, a.schema, r.Name)
}

// Assign makes the engine form the groups and write the relations. name, of lower-case letters and digits, must be unique to this attempt.
// On an error it drops everything that it wrote; the error says what is left, and [Engine.Sweep] drops that later. progress may be nil.
func (e *Engine) Assign(ctx context.Context, p *Plan, name string, progress func(done, total int)) (_ *Attempt, err error) {
	if !validName.MatchString(name) {
		return nil, fmt.Errorf("an attempt cannot be called %q, must be lower-case letters and digits", name)
	}
	a := &Attempt{engine: e, plan: p, name: name, schema: e.Private, source: assignedTable, rounds: -1}
	a.Fragments = a.planned()
	defer func() {
		if err != nil {
			ctx, cancel := engine.CleanUp(ctx)
			defer cancel()
			err = errors.Join(err, a.Discard(ctx))
		}
	}()
	steps := []func(context.Context) error{a.makeKey, a.uploadBlocks, a.makeOffsets, a.makeSizes, a.readSizes, a.assign}
	if p.ofBlocks() {
		a.number(int64(p.Blocks))
		steps = []func(context.Context) error{a.makeKey, a.uploadBlocks, a.assign}
	}
	if p.merges() {
		steps = append(steps, a.merge)
	}
	for _, f := range a.Fragments {
		steps = append(steps, func(ctx context.Context) error { return a.write(ctx, f) })
	}
	for i, step := range steps {
		if progress != nil {
			progress(i, len(steps))
		}
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// makeKey makes the engine generate the key. No statement contains it, and only the engine's account may read the schema Private.
func (a *Attempt) makeKey(ctx context.Context) error {
	key, ok := a.engine.Dialect.RandomKey()
	if !ok {
		return fmt.Errorf("%s makes no keys that nobody can guess", a.engine.Dialect)
	}
	return a.create(ctx, a.table(keyTable), nil, "SELECT "+key+" AS "+a.engine.Dialect.Name("key"))
}

// uploadBlocks writes the block of every cell.
func (a *Attempt) uploadBlocks(ctx context.Context) error {
	const perPair = 20
	for i, pairs := range slices.Collect(slices.Chunk(a.plan.blockOf, dialect.LongestStatement/perPair)) {
		query := a.engine.Dialect.Pairs("cell", "block", pairs)
		if i == 0 {
			if err := a.create(ctx, a.table(blockTable), nil, query); err != nil {
				return err
			}
			continue
		}
		if _, err := a.engine.Conn.Exec(ctx, "INSERT INTO "+a.table(blockTable)+" "+query); err != nil {
			return err
		}
	}
	return nil
}

// blocked writes a query of the records: released columns, block, a digest of the record (place), and the key.
func (a *Attempt) blocked() string {
	p, d := a.plan, a.engine.Dialect
	records := []string{a.engine.cell(p, p.bins) + " AS cell", "k.key AS key"}
	var identifying []string
	for _, c := range slices.Concat(p.quasiIdentifiers, []Column{p.sensitive}, p.identifiers) {
		identifying = append(identifying, d.Name("t", c.Name))
	}
	for i, c := range p.released() {
		records = append(records, fmt.Sprintf("%s AS %s", c.digested(d, d.Name("t", c.Name)), attribute(i)))
	}
	if !p.ofBlocks() {
		records = append(records, d.HashInteger(d.HashText(d.Joined(identifying...), "k.key"))+" AS place")
	}
	text := fmt.Sprintf("SELECT %s FROM %s AS t CROSS JOIN %s AS k", strings.Join(records, ", "), a.engine.raw(p.Table), a.table(keyTable))
	block, join := "0", ""
	if len(p.blockOf) > 0 {
		block, join = "b.block", fmt.Sprintf(" JOIN %s AS b ON b.cell = r.cell", a.table(blockTable))
	}
	return fmt.Sprintf("SELECT r.*, %s AS block FROM (%s) AS r%s", d.Cast(block, dialect.BigInt), text, join)
}

// placed is blocked plus a digest of the sensitive value in its block (value) and the bucket.
func (a *Attempt) placed() string {
	p, d := a.plan, a.engine.Dialect
	sensitive := attribute(len(p.quasiIdentifiers))
	value := d.HashInteger(d.HashText(d.Joined("'v'", "block", sensitive), "key"))
	return fmt.Sprintf("SELECT blocked.*, %s AS value, %s AS bucket FROM (%s) AS blocked", value, a.engine.bucket(p, sensitive, "place"), a.blocked())
}

// released returns the published columns.
func (p *Plan) released() []Column { return append(slices.Clone(p.quasiIdentifiers), p.sensitive) }

// attribute names the i-th released column internally, so that no name of the table's collides with ours.
func attribute(i int) string { return fmt.Sprintf("a%d", i) }

// makeOffsets counts the records before each bucket of a value in its block or pool.
func (a *Attempt) makeOffsets(ctx context.Context) error {
	return a.create(ctx, a.table(offsetTable), nil, fmt.Sprintf(
		"SELECT block, value, bucket, records, sum(records) OVER (PARTITION BY block ORDER BY place, bucket ROWS UNBOUNDED PRECEDING) - records AS before FROM (%s) AS pooled",
		a.pooled(fmt.Sprintf("SELECT block, value, bucket, count(*) AS records FROM (%s) AS placed GROUP BY block, value, bucket", a.placed()))))
}

// makeSizes numbers the groups of each block after those of the previous blocks.
func (a *Attempt) makeSizes(ctx context.Context) error {
	return a.create(ctx, a.table(sizeTable), nil, fmt.Sprintf(
		"SELECT block, groups, sum(groups) OVER (ORDER BY block ROWS UNBOUNDED PRECEDING) - groups AS base "+
			"FROM (SELECT block, %s AS groups FROM %s GROUP BY block) AS sized", a.engine.Dialect.Cast(fmt.Sprintf("floor(sum(records) / %d)", a.plan.rule.Size), dialect.BigInt), a.table(offsetTable)))
}

// readSizes reads the number of groups.
func (a *Attempt) readSizes(ctx context.Context) error {
	if err := a.engine.Conn.Query(ctx, "SELECT "+a.engine.Dialect.Cast("sum(groups)", dialect.BigInt)+" FROM "+a.table(sizeTable), func(row []any) (err error) {
		a.Groups, err = readCount(row[0])
		return err
	}); err != nil {
		return err
	}
	a.number(a.Groups)
	return nil
}

// number sets the number of groups and the range of their numbers.
func (a *Attempt) number(groups int64) {
	side := int64(math.Ceil(math.Sqrt(float64(groups))))
	a.Groups, a.Numbers = groups, side*side
}

// numbered writes a query of the records with their group: their rank in the block modulo the
// block's groups, after the groups of the previous blocks; or just their block.
func (a *Attempt) numbered() string {
	if a.plan.ofBlocks() {
		return fmt.Sprintf("SELECT blocked.*, block AS number FROM (%s) AS blocked", a.blocked())
	}
	list, pools, d := a.releasedList("p."), a.plan.pools, a.engine.Dialect
	text := fmt.Sprintf("SELECT *, row_number() OVER (PARTITION BY block, value, bucket ORDER BY place) - 1 AS among FROM (%s) AS placed", a.placed())
	if pools > 1 {
		text = fmt.Sprintf("SELECT %s, p.key AS key, value, bucket, block * %d + mod(among, %[2]d) AS block, %s AS among FROM (%s) AS p",
			list, pools, d.Cast(fmt.Sprintf("floor(among / %d)", pools), dialect.BigInt), text)
	}
	return fmt.Sprintf(
		"SELECT %s, p.key AS key, %s AS number FROM (%s) AS p JOIN %s AS o ON o.block = p.block AND o.value = p.value AND o.bucket = p.bucket JOIN %s AS s ON s.block = p.block",
		list,
		d.Cast("s.base + mod(o.before + p.among, s.groups)", dialect.BigInt),
		text,
		a.table(offsetTable),
		a.table(sizeTable),
	)
}

// releasedList lists the released columns of a query of records.
func (a *Attempt) releasedList(prefix string) string {
	var list []string
	for i := range a.plan.released() {
		list = append(list, fmt.Sprintf("%s%s AS %[2]s", prefix, attribute(i)))
	}
	return strings.Join(list, ", ")
}

// networkRounds is the number of rounds of the permutation of group numbers.
const networkRounds = 4

// assign gives every record its group. The published number is a keyed permutation of the group's, a Feistel
// network over pairs of digits (Black, Rogaway 2002, section 5), so it reveals neither block nor rank.
func (a *Attempt) assign(ctx context.Context) error {
	d := a.engine.Dialect
	var columns []string
	for i := range a.plan.released() {
		columns = append(columns, attribute(i))
	}
	if a.plan.merges() {
		columns = append(columns, "number")
	}
	list := strings.Join(columns, ", ")
	side := a.numbersRoot()
	text := a.numbered()
	text = fmt.Sprintf(
		"SELECT %s, key, %s AS high, mod(number, %d) AS low FROM (%s) AS numbered",
		list,
		d.Cast(fmt.Sprintf("floor(number / %d)", side), dialect.BigInt),
		side,
		text,
	)
	for round := range networkRounds {
		mixed := d.HashInteger(d.HashText(d.Joined(fmt.Sprintf("'r%d'", round), "low"), "key"))
		text = fmt.Sprintf("SELECT %s, key, low AS high, mod(high + %s, %d) AS low FROM (%s) AS round%d", list, mixed, side, text, round)
	}
	return a.create(ctx, a.table(assignedTable), nil, fmt.Sprintf("SELECT %s, high * %d + low AS gid FROM (%s) AS permuted", list, side, text))
}

// numbersRoot returns the square root of Numbers.
func (a *Attempt) numbersRoot() int64 { return int64(math.Round(math.Sqrt(float64(a.Numbers)))) }

// create creates a table from a query.
func (a *Attempt) create(ctx context.Context, name string, properties []dialect.Property, query string) error {
	_, err := a.engine.Conn.Exec(ctx, a.engine.Dialect.CreateTableAs(name, "", properties, query))
	return err
}

// Close drops what links records to groups. The relations stay.
func (a *Attempt) Close(ctx context.Context) error {
	failed := []error{a.dropRounds(ctx)}
	for _, of := range []string{keyTable, blockTable, offsetTable, sizeTable, assignedTable, mergedTable} {
		failed = append(failed, a.drop(ctx, a.table(of)))
	}
	return errors.Join(failed...)
}

// Publish moves the relations, and further tables of the attempt, into the schema Published. No rule may refuse the release afterwards. When the
// context ends, it ends between two moves: Discard must find what was moved.
func (a *Attempt) Publish(ctx context.Context, further ...string) error {
	a.schema = a.engine.Published
	for _, name := range append(a.relations(), further...) {
		if err := ctx.Err(); err != nil {
			return err
		}
		from, to := a.engine.Dialect.Name(a.engine.Catalog, a.engine.Private, name), a.engine.Dialect.Name(a.engine.Catalog, a.schema, name)
		moving, cancel := engine.CleanUp(ctx)
		_, err := a.engine.Conn.Exec(moving, "ALTER TABLE "+from+" RENAME TO "+to)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// relations returns the names of the relations and of the tables beside them.
func (a *Attempt) relations() (names []string) {
	for _, r := range a.Fragments {
		names = append(append(names, r.Name), r.Domains...)
	}
	return names
}

// Discard drops everything but the further tables.
func (a *Attempt) Discard(ctx context.Context) error {
	failed := []error{a.Close(ctx)}
	for _, schema := range slices.Compact([]string{a.engine.Private, a.schema}) {
		for _, name := range a.relations() {
			failed = append(failed, a.drop(ctx, a.engine.Dialect.Name(a.engine.Catalog, schema, name)))
		}
	}
	return errors.Join(failed...)
}

func (a *Attempt) drop(ctx context.Context, name string) error {
	_, err := a.engine.Conn.Exec(ctx, "DROP TABLE IF EXISTS "+name)
	return err
}
