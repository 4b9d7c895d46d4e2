package nonhomogeneous

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
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
	b := bucketization.NewBuckets(in.Sensitive[0], request.Classes)
	in.Report("initial partition", 0, 1)
	blocks, err := initialpartition.Divide(ctx, in, b, request, random)
	if err != nil {
		return nil, err
	}
	in.Report("rings", 0, 1)
	w := newWindows(in.Sensitive[0], request.L)
	ring, largest := newArrangement(b), 0
	for g := range blocks.Groups() {
		if g%stretch == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		records := ring.arrange(blocks.Records(g), request.L, random)
		w.assignWindows(records, random.IntN(request.L))
		largest = max(largest, len(records))
	}
	in.Report("fragments", 0, 1)
	release, err := bucketization.PublishRecords(ctx, name, in, &w.Candidates, random)
	if err != nil {
		return nil, err
	}
	release.Promises = request.Promises()
	release.Facts = slices.Concat(blocks.Facts(), request.Facts(b), []anonymize.Fact{{Name: "breach", Value: fmt.Sprintf(
		"who learns the value of one record learns those of its ring, up to %d records", largest)}})
	return release, nil
}

// stretch is the number of blocks between two looks at the context.
const stretch = 1 << 12
