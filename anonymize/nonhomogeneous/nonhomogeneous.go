package nonhomogeneous

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/demand"
	"github.com/anonsql/anonsql/anonymize/initialpartition"
)

// Method returns non-homogeneous generalization as a method of the list.
func Method() anonymize.Method {
	return anonymize.Method{
		Name:  name,
		Title: "NG: every record beside l candidate values of its own, the values of its neighbours in a ring",
		Source: "Wong et al., Non-homogeneous Generalization in Privacy Preserving Data Publishing, SIGMOD 2010; " +
			"compared with ARP in Zhu et al., ComSIS 12(4), 2015",
		Parameters: append(anonymize.Declare(initialpartition.Diversity), initialpartition.Parameters()...),
		Share:      bucketization.OneIn(initialpartition.Diversity),
		Algorithm:  run,
	}
}

const name = "nonhomogeneous"

func run(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (*anonymize.Release, error) {
	request, err := initialpartition.Read(name, in, settings)
	if err != nil {
		return nil, err
	}
	random := rand.New(in.Random)
	b := bucketization.BucketsOf(in, in.Sensitive[0])
	in.Report("initial partition", 0, 1)
	blocks, err := initialpartition.Divide(ctx, in, b, request, random)
	if err != nil {
		return nil, err
	}
	groups, apart := blocks.Partition, in.ClosenessOf(in.Sensitive[0]) != nil
	var kept []anonymize.Fact
	if apart {
		if groups, kept, err = demand.KeepNear(ctx, in, groups, random); err != nil {
			return nil, err
		}
	}
	in.Report("rings", 0, 1)
	w := newWindows(in.Sensitive[0], request.L)
	ring, largest := newArrangement(b), 0
	for g := range groups.Groups() {
		if g%stretch == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if apart {
			for _, records := range ring.arrangeApart(groups.Records(g), in.Sensitive[0].Codes, request.L, random) {
				w.assignWindows(records, random.IntN(request.L))
				largest = max(largest, len(records))
			}
			continue
		}
		records := ring.arrange(groups.Records(g), request.L, random)
		w.assignWindows(records, random.IntN(request.L))
		largest = max(largest, len(records))
	}
	in.Report("fragments", 0, 1)
	release, err := bucketization.PublishRecords(ctx, name, in, &w.Candidates, random)
	if err != nil {
		return nil, err
	}
	release.Promises = request.Promises()
	release.Facts = slices.Concat(blocks.Facts(), kept, []anonymize.Fact{{Name: "breach", Value: fmt.Sprintf(
		"who learns the value of one record learns those of its ring, up to %d records", largest)}})
	return release, nil
}

// stretch is the number of blocks between two checks of the context.
const stretch = 1 << 12
