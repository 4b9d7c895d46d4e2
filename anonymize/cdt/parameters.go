package cdt

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// parameters are the arguments, read.
type parameters struct {
	bounds
	variant string
	k1, k2  int // 0: auto
	kmax    int
}

// bounds are what every class must meet.
type bounds struct {
	k, l  int
	share anonymize.Ratio
}

// admits reports whether a value may be count of the size records of a class.
func (b bounds) admits(count uint32, size int) bool {
	return int(count)*b.l <= size && b.share.Admits(int(count), size)
}

// promises are what was asked for. Package privacy takes l and beta over every
// sensitive attribute.
func (b bounds) promises() []anonymize.Promise {
	list := []anonymize.Promise{{Guarantee: "k", Bound: anonymize.NewRatio(uint64(b.k), 1)}}
	if b.l > 1 {
		list = append(list, anonymize.Promise{Guarantee: "l", Bound: anonymize.NewRatio(uint64(b.l), 1)})
	}
	if b.share.Num < b.share.Den {
		list = append(list, anonymize.Promise{Guarantee: "beta", Bound: b.share})
	}
	return list
}

// readParameters checks the arguments against the declaration and the table.
func readParameters(in *anonymize.Input, given anonymize.Arguments) (p parameters, err error) {
	m := Method()
	arguments, err := m.Resolve(given)
	if err != nil {
		return p, err
	}
	p.variant = arguments["variant"]
	if p.k, err = arguments.Integer("k", 1, 1<<30); err != nil {
		return p, err
	}
	if p.l, err = arguments.Integer("l", 1, 1<<30); err != nil {
		return p, err
	}
	if p.share, err = arguments.Ratio("max_share", false); err != nil {
		return p, err
	}
	if p.k1, err = readNumber(arguments, "k1"); err != nil {
		return p, err
	}
	if p.k2, err = readNumber(arguments, "k2"); err != nil {
		return p, err
	}
	if p.kmax, err = arguments.Integer("kmax", 2, maxClusters); err != nil {
		return p, err
	}
	return p, checkTable(in, p.bounds)
}

// maxClusters keeps the search for a number of clusters, and merges, inside
// minutes.
const maxClusters = 100

// readNumber reads a number of clusters, 0 for auto.
func readNumber(arguments anonymize.Arguments, parameter string) (int, error) {
	if arguments[parameter] == auto {
		return 0, nil
	}
	k, err := arguments.Integer(parameter, 1, maxClusters)
	if err != nil {
		return 0, &anonymize.ParameterError{Parameter: parameter, Value: "'" + arguments[parameter] + "'",
			Rule: fmt.Sprintf("must be a whole number from 1 to %d, or %s", maxClusters, auto)}
	}
	return k, nil
}

// checkTable refuses what no release can meet. Shares in a union of classes are
// means of those in the classes, so there is a release if and only if the whole
// table, as one class, meets the bounds.
func checkTable(in *anonymize.Input, b bounds) error {
	if len(in.Sensitive) == 0 {
		return &anonymize.DataError{Reason: name + " needs a sensitive attribute, none is given"}
	}
	one := *in
	one.Sensitive = in.Sensitive[:1]
	if err := bucketization.CheckInput(name, &one); err != nil {
		return err
	}
	if b.k > in.Rows {
		return &anonymize.InfeasibleError{Parameter: "k", Given: anonymize.NewRatio(uint64(b.k), 1),
			Largest: anonymize.NewRatio(uint64(in.Rows), 1), Obstacle: fmt.Sprintf("the table has %d records", in.Rows)}
	}
	var worst *bucketization.Buckets
	most := uint32(0)
	for _, c := range in.Sensitive {
		buckets := bucketization.NewBuckets(c, nil)
		if _, count := buckets.MostFrequent(); count > most {
			worst, most = buckets, count
		}
	}
	if err := worst.CheckDiversity(b.l); err != nil {
		return err
	}
	return worst.CheckShare("max_share", b.share)
}
