package functions

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/catalog"
)

// bindPrivacy makes ANON_PRIVACY(release): every guarantee, recomputed from the stored fragments, beside the promise. Accounts that may read
// the raw table also see how far known attacks got at publication, and what all versions reveal together. holds is NULL without a requirement.
func (e *Environment) bindPrivacy(ctx *sql.Context, arguments []sql.Expression) (*relation, error) {
	return e.bindRelease("anon_privacy", sql.Schema{
		{Name: "guarantee", Type: types.LongText},
		{Name: "required", Type: types.Float64, Nullable: true},
		{Name: "achieved", Type: types.Float64},
		{Name: "worst_group", Type: types.Int64, Nullable: true},
		{Name: "holds", Type: types.Boolean, Nullable: true},
		{Name: "detail", Type: types.LongText},
	}, e.privacyRows)(ctx, arguments)
}

func (e *Environment) privacyRows(ctx *sql.Context, p *catalog.Published) ([]sql.Row, error) {
	guarantees, err := e.guarantees(ctx, p)
	var rows []sql.Row
	for _, g := range guarantees {
		rows = append(rows, catalog.GuaranteeRow(g))
	}
	return rows, err
}

// guarantees are, in this order: the share of records with a single possible sensitive value, if there are any, so that no reader misses it;
// the recomputed guarantees; stored figures that cannot be recomputed, as far as the account may see them.
func (e *Environment) guarantees(ctx *sql.Context, p *catalog.Published) ([]anonymize.Guarantee, error) {
	record := e.Releases.RecordFor(ctx, p)
	alone, recomputed, risks, err := e.recomputed(ctx, p, record)
	if err != nil {
		return nil, err
	}
	guarantees := slices.Clone(recomputed)
	for _, g := range slices.Concat(record.Guarantees, record.Sequence) {
		if !slices.ContainsFunc(slices.Concat(alone, recomputed), func(again anonymize.Guarantee) bool { return again.Name == g.Name }) {
			guarantees = append(guarantees, g)
		}
	}
	return slices.Concat(alone, guarantees, risks), nil
}

// recomputed are the share of records with a single possible value, the guarantees, and risks, from the relations. If an engine has them and they are
// too large to be read, the engine recomputes the guarantees.
func (e *Environment) recomputed(
	ctx *sql.Context,
	p *catalog.Published,
	record *catalog.ReleaseRecord,
) (alone, guarantees, risks []anonymize.Guarantee, err error) {
	if p.IsLarge() {
		guarantees, err = e.Releases.Recomputed(ctx, p)
		return nil, append(guarantees, privacy.OfModel(record.Model)...), nil, err
	}
	release, err := p.Promised(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	if guarantees, err = privacy.Verify(release); err != nil {
		return nil, nil, nil, err
	}
	alone, err = oneValueOf(ctx, release, record.Sensitive)
	return alone, guarantees, risksOf(release, record.Weight), err
}
