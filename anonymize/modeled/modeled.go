package modeled

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/slppa"
)

// Name is the name of the method.
const Name = "modeled"

// Method returns it as a method of the list.
func Method() anonymize.Method {
	return anonymize.Method{
		Name:       Name,
		Title:      "Synthetic: quasi-identifiers, counts of sensitive values and a model of how they go together, without groups",
		Source:     "Chaudhuri, Hsu, Sample Complexity Bounds for Differentially Private Learning, COLT 2011; Nowok, Raab, Dibben, synthpop, JSS 74(11), 2016",
		Parameters: anonymize.Declare(paramBlock, paramTables),
		Alone:      true,
		Algorithm:  run,
	}
}

// maxBlock stays below the 65,536 records of a group that package impute supports.
const maxBlock = 60_000

// paramBlock: blocks of a thousand are completed in parallel, and their counts reveal no more about a person than the table's.
var paramBlock = anonymize.Int("block", 2, maxBlock,
	"greatest number of records in a block: records are cut at random into as few blocks as this allows; if units have several records, a block has "+
		"fewer units").
	Positional().Default("1000")

var paramTables = bucketization.Tables("number of QI tables, between which only the block links quasi-identifiers").Default("1")

func run(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (*anonymize.Release, error) {
	if err := bucketization.CheckInput(Name, in); err != nil {
		return nil, err
	}
	tables, err := relations(ctx, in, settings)
	if err != nil {
		return nil, err
	}
	random, block := rand.New(in.Random), paramBlock.Read(settings)
	in.Report("fragments", 0, 1)
	release, err := bucketization.Publish(ctx, Name, in, cut(in.Rows, (in.Rows+block-1)/block, random), tables, random)
	if err != nil {
		return nil, err
	}
	release.Facts = []anonymize.Fact{{Name: "blocks", Value: fmt.Sprintf("%d, of at most %d records, cut at random: no groups", release.Groups(), block)}}
	return release, nil
}

// relations returns the tables to publish: those of quasi-identifiers, divided as in slppa, and the sensitive attribute's.
func relations(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (all []bucketization.Table, err error) {
	tables, err := bucketization.TablesOf(paramTables, in, settings)
	if err != nil {
		return nil, err
	}
	in.Report("tables", 0, 1)
	divided, err := slppa.DivideColumns(ctx, in.QuasiIdentifiers, tables)
	if err != nil {
		return nil, err
	}
	for t, columns := range divided {
		tuples, err := bucketization.NewProjection(ctx, columns)
		if err != nil {
			return nil, err
		}
		all = append(all, bucketization.QuasiIdentifierTable(t, tuples))
	}
	return append(all, bucketization.SensitiveTable(in.Sensitive[0])), nil
}

// cut deals all records at random to blocks whose sizes differ by at most one.
func cut(records, blocks int, random *rand.Rand) *bucketization.Partition {
	shuffled := make([]uint32, records)
	for i, record := range random.Perm(records) {
		shuffled[i] = uint32(record)
	}
	return bucketization.Deal(shuffled, blocks)
}
