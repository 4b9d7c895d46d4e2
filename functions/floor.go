package functions

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/functions/texts"
)

// floor is the success of an attacker with statistics of the owner's table but without the release; supervised that of one who also knows
// the groups; membership that of one who asks whether a record is in the model.
const floor, supervised, membership = "floor", "supervised", "membership"

// statisticsSample bounds the records of a larger release to which the statistics are fitted, and on which they are judged: a mean has
// a standard error of .002, and the fit takes some seconds.
const statisticsSample = 20_000

// attackWithStatistics makes the figures of an attacker with the best external statistics, and of presence in a model. base is the floor, nil
// with a warning if it cannot be measured.
func (r *run) attackWithStatistics(ctx *sql.Context, sensitive int, v victim) (figures []anonymize.Guarantee, base *attack.Result, err error) {
	r.report("attack", 0, 1)
	source, err := r.derivedSource(floor)
	if err != nil {
		return nil, nil, err
	}
	truth := r.truth(v, sensitive)
	below, inside, err := attack.Supervised(ctx, v.release, truth, attack.Options{Sample: statisticsSample, Random: source})
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, err
		}
		ctx.Warn(mysql.ERUnknownError, "not measured: %s", err)
		return nil, nil, nil
	}
	for _, known := range []struct {
		attacker
		attack.Result
	}{
		{attacker{floor, "who has the statistics of this table and no release", sensitive, nil}, below},
		{attacker{supervised, "who has these statistics and knows the group", sensitive, nil}, inside},
	} {
		if known.Records == 0 {
			continue
		}
		detail := attackDetail(truth.Sensitive.Name, known.attacker, known.Result)
		figures = append(figures, r.figures(known.attacker, known.Result, detail, v)...)
	}
	present, err := r.presence(ctx, truth, v)
	return append(figures, present...), &below, err
}

// presence is the figure for a model without noise, if records are persons. A sample does not show which cells a record changes.
func (r *run) presence(ctx *sql.Context, truth attack.Truth, v victim) ([]anonymize.Guarantee, error) {
	m := v.release.Model
	if m == nil || m.IsNoisy() || m.Sensitive != truth.Sensitive.Name || r.input.Units != nil || r.sampledOf > v.release.Rows {
		return nil, nil
	}
	source, err := r.derivedSource(membership)
	if err != nil {
		return nil, err
	}
	p, err := attack.PresenceIn(ctx, v.release, truth, attack.Options{Sample: statisticsSample, Random: source})
	if err != nil {
		return nil, err
	}
	return []anonymize.Guarantee{{Name: membership, Achieved: texts.Thousandths(p.With - p.Without), WorstGroup: -1, Holds: true, Detail: fmt.Sprintf(
		"%s: what a record's presence in the model adds to the probability of its actual value by these tables, %.3f with it; likelihood ratio at most %.3g, "+
			"above 2 for %.4f of the records; %.3f of them change a published cell, as an attacker who knows all others sees",
		m.Sensitive, p.With, p.Greatest, p.Above2, p.Changed)}}, nil
}

// addGain adds the gain over the floor to the figures of an attacker.
func (a attacker) addGain(figures []anonymize.Guarantee, base attack.Result) {
	for i, below := range []attack.Result{base, base.OfAlone()}[:len(figures)] { // of all records, and of unique ones
		figures[i].Detail += fmt.Sprintf("; beyond the floor %+.3f", figures[i].Achieved-below.Mean)
		if x := figures[i].Attack; x != nil {
			figures[i].Detail += fmt.Sprintf(", of records above 0.9 %+.4f", x.Own90-below.Own90)
		}
	}
}

// tellsSure reports whether an attacker's figures include the shares of records above 0.5 and 0.9.
func (a attacker) tellsSure() bool {
	return a.name == learned || a.name == floor || a.name == supervised
}
