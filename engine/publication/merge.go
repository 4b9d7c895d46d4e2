package publication

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// The tables of merges in the schema Private, by round.
const (
	groupTable, moveTable, intoTable = "groups", "moves", "into"
	mergedTable                      = "merged"
)

const (
	// maxRounds is the greatest number of rounds of merges.
	maxRounds = 24
	// poolGroups is the number of consecutive groups of a pool in the first round, within which groups are merged; it doubles in every round.
	poolGroups = 64
	// minLeft limits merging: at least one in minLeft groups must remain, since fewer would be nearly useless.
	minLeft = 4
)

// merges reports whether groups may violate a bound and then are merged.
func (p *Plan) merges() bool {
	return p.Method == Slppa && (p.Alpha.Cmp(ratioOne) < 0 || p.Gamma.Cmp(ratioOne) < 0)
}

// merge is step 4 of Section 4.3.2 of Yao et al. 2021, without exchanges: it merges groups that
// violate alpha or gamma with others of their pool, a run of consecutive groups, until none
// does. Shares in a union are means of those in its parts, so beta and delta stay and alpha is
// met in the end; gamma may not be.
func (a *Attempt) merge(ctx context.Context) error {
	a.rounds = 0
	planned := a.Groups
	if err := a.create(ctx, a.table(groupTable+"0"), nil, a.judged("SELECT * FROM "+a.table(assignedTable))); err != nil {
		return err
	}
	for round := range maxRounds {
		a.rounds = round
		var bad int64
		if err := a.engine.Conn.Query(ctx,
			fmt.Sprintf("SELECT count(*), coalesce(sum(CASE WHEN bad THEN 1 ELSE 0 END), 0) FROM %s", a.round(groupTable, round)),
			func(row []any) (err error) {
				if a.Groups, err = readCount(row[0]); err == nil {
					bad, err = readCount(row[1])
				}
				return err
			}); err != nil {
			return err
		}
		if a.Groups < planned/minLeft {
			break
		}
		if bad == 0 {
			return a.merged(ctx, round)
		}
		if err := a.mergeRound(ctx, round); err != nil {
			return err
		}
	}
	name, bound, with := "alpha", a.plan.Alpha, ""
	if a.plan.Alpha.Cmp(ratioOne) == 0 {
		name, bound = "gamma", a.plan.Gamma
	} else if a.plan.Gamma.Cmp(ratioOne) < 0 {
		with = " with gamma = " + a.plan.Gamma.String()
	}
	return &anonymize.ParameterError{
		Parameter: name,
		Value:     bound.String(),
		Rule:      fmt.Sprintf("was not reached%s: merging left %d of %d groups; ask for more%s", with, a.Groups, planned, a.plan.orOneBlock()),
	}
}

// orOneBlock suggests an alternative for groups of neighbours.
func (p *Plan) orOneBlock() string {
	if p.Blocks == 1 {
		return ""
	}
	return ", or for groups of any records: neighbours are alike"
}

// round names a table of a round.
func (a *Attempt) round(of string, round int) string { return a.table(fmt.Sprintf("%s%d", of, round)) }

// judged writes a query of the groups of some records: gid, number, and whether a bound is violated. It decides by floats; Verify checks the bounds exactly.
func (a *Attempt) judged(records string) string {
	p, d := a.plan, a.engine.Dialect
	released := p.released()
	fragments := append(slices.Clone(p.fragments), []Column{p.sensitive})
	var from, bad, factors []string
	for i, columns := range fragments {
		var list []string
		for _, c := range columns {
			list = append(list, attribute(slices.Index(released, c)))
		}
		one := fmt.Sprintf(
			"SELECT gid, min(number) AS number, sum(records) AS records, max(records) AS most FROM (SELECT gid, min(number) AS number, count(*) AS records FROM (%s) AS r GROUP BY gid, %s) AS c GROUP BY gid",
			records,
			strings.Join(list, ", "),
		)
		if from = append(from, fmt.Sprintf("(%s) AS f%d", one, i)); i > 0 {
			from[i] += fmt.Sprintf(" ON f%d.gid = f0.gid", i)
		}
		share := fmt.Sprintf("CAST(f%d.most AS DOUBLE) / f%d.records", i, i)
		if factors = append(factors, share); i < len(p.fragments) {
			bad = append(bad, fmt.Sprintf("%s > %s", share, d.Double(p.Alpha.Float())))
		}
	}
	const margin = 1e-9
	bad = append(bad, fmt.Sprintf("%s > %s", strings.Join(factors, " * "), d.Double(p.Gamma.Float()*(1-margin))))
	return fmt.Sprintf("SELECT f0.gid AS gid, f0.number AS number, %s AS bad FROM %s", strings.Join(bad, " OR "), strings.Join(from, " JOIN "))
}

// mergeRound merges a pool's bad groups with good ones: one each in the first round, twice as
// many in each later round. If a pool has more bad groups than good ones, it first merges bad
// ones with each other. Then it re-examines the merged groups.
func (a *Attempt) mergeRound(ctx context.Context, round int) error {
	groups, moves, into := a.round(groupTable, round), a.round(moveTable, round), a.round(intoTable, round)
	if err := a.create(ctx, moves, nil, a.pairs(groups, round)); err != nil {
		return err
	}
	text := fmt.Sprintf("SELECT gid, into_gid FROM %s", moves)
	if round > 0 {
		text = fmt.Sprintf(
			"SELECT m.gid AS gid, coalesce(v.into_gid, m.into_gid) AS into_gid FROM %s AS m LEFT JOIN %s AS v ON v.gid = m.into_gid UNION ALL %s",
			a.round(intoTable, round-1),
			moves,
			text,
		)
	}
	if err := a.create(ctx, into, nil, text); err != nil {
		return err
	}
	grown := a.judged(fmt.Sprintf("SELECT * FROM (%s) AS moved WHERE gid IN (SELECT into_gid FROM %s)", a.moved(into), moves))
	return a.create(
		ctx,
		a.round(groupTable, round+1),
		nil,
		fmt.Sprintf("SELECT gid, number, bad FROM %s WHERE gid NOT IN (SELECT gid FROM %s) AND gid NOT IN (SELECT into_gid FROM %s) UNION ALL %s",
			groups, moves, moves, grown),
	)
}

// pairs writes a query of groups and their merge targets. A pool of B bad and G good groups
// keeps K = min(B, max(G, 1)) of the bad ones as targets. They absorb the other bad ones, and
// 2^round good ones each.
func (a *Attempt) pairs(groups string, round int) string {
	pool := fmt.Sprintf("number - mod(number, %d)", int64(poolGroups)<<round)
	ranked := fmt.Sprintf("SELECT gid, bad, %s AS pool, row_number() OVER (PARTITION BY %s, bad ORDER BY gid) - 1 AS place, "+
		"sum(CASE WHEN bad THEN 1 ELSE 0 END) OVER (PARTITION BY %s) AS bads, sum(CASE WHEN bad THEN 0 ELSE 1 END) OVER (PARTITION BY %s) AS goods FROM %s", pool, pool, pool, pool, groups)
	ranked = fmt.Sprintf("SELECT gid, bad, pool, place, least(bads, greatest(goods, 1)) AS kept FROM (%s) AS ranked WHERE bads > 0", ranked)
	return fmt.Sprintf("SELECT m.gid AS gid, t.gid AS into_gid FROM (%s) AS m JOIN (%s) AS t ON t.pool = m.pool AND t.bad AND t.place = mod(m.place, m.kept) "+
		"WHERE m.bad AND m.place >= m.kept OR NOT m.bad AND m.place < m.kept * %d", ranked, ranked, int64(1)<<round)
}

// moved writes a query of the assignment after the merges in into. A merged group has its target's number.
func (a *Attempt) moved(into string) string {
	var list []string
	for i := range a.plan.released() {
		list = append(list, "a."+attribute(i))
	}
	return fmt.Sprintf(
		"SELECT %s, a.number AS number, coalesce(m.into_gid, a.gid) AS gid FROM %s AS a LEFT JOIN %s AS m ON m.gid = a.gid",
		strings.Join(list, ", "),
		a.table(assignedTable),
		into,
	)
}

// merged rewrites the assignment with the groups after this many rounds and drops the tables of merging.
func (a *Attempt) merged(ctx context.Context, rounds int) error {
	if rounds > 0 {
		if err := a.create(ctx, a.table(mergedTable), nil, a.moved(a.round(intoTable, rounds-1))); err != nil {
			return err
		}
		a.source = mergedTable
	}
	return a.dropRounds(ctx)
}

// dropRounds drops the tables of all rounds, including an unfinished one.
func (a *Attempt) dropRounds(ctx context.Context) error {
	if a.rounds < 0 {
		return nil
	}
	for round := range a.rounds + 2 {
		for _, of := range []string{groupTable, moveTable, intoTable} {
			if err := a.drop(ctx, a.round(of, round)); err != nil {
				return err
			}
		}
	}
	return nil
}
