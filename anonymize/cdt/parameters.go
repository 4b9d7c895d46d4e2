package cdt

import (
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

// bounds are what every class must keep.
type bounds struct {
	k, l  int
	share anonymize.Ratio
}

// admits reports whether a value may have count of the size records of a class.
func (b bounds) admits(count uint32, size int) bool {
	return int(count)*b.l <= size && b.share.Admits(int(count), size)
}

// promises returns what was asked for. Package privacy evaluates l and beta over every
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

// maxClusters keeps the search for a number of clusters, and the merging, below minutes.
const maxClusters = 100

var (
	paramK = anonymize.Int("k", 1, bucketization.MaxRows,
		"least number of records of an equivalence class, at least 1; a greater k gives fewer classes, more privacy and more loss").Default("2").Positional()
	paramL = anonymize.Int("l", 1, bucketization.MaxRows,
		"no value of any sensitive attribute in more than floor(m/l) of the m records of a class; 1: no bound").Default("2").Positional()
	paramVariant = anonymize.Choice("variant", []string{bounded, printed},
		"bounded: cut the quasi-identifiers while k, l and max_share hold; paper: cluster around medoids, as printed, then merge until k, l and "+
			"max_share hold")
	paramMaxShare = anonymize.PositiveShare("max_share",
		"greatest share of a class that one value of a sensitive attribute may have, above 0; 1: only l bounds it").Default("1")
	paramK1 = anonymize.Int("k1", 1, maxClusters,
		"variant=paper: number of classes of dissimilar sensitive tuples; auto: the number with the greatest silhouette").OrAuto()
	paramK2 = anonymize.Int("k2", 1, maxClusters,
		"variant=paper: number of clusters of quasi-identifiers in each of these classes; auto as for k1").OrAuto()
	paramKmax = anonymize.Int("kmax", 2, maxClusters, "variant=paper: greatest number that auto tries, 2 to 100").Default("20")
)

// readParameters checks the settings against the table.
func readParameters(in *anonymize.Input, s anonymize.Settings) (parameters, error) {
	p := parameters{
		bounds:  bounds{k: paramK.Read(s), l: paramL.Read(s), share: paramMaxShare.Read(s)},
		variant: paramVariant.Read(s),
		k1:      paramK1.Read(s),
		k2:      paramK2.Read(s),
		kmax:    paramKmax.Read(s),
	}
	return p, checkTable(in, p.bounds)
}

// checkTable refuses what no release can meet. Shares in a union of classes are means of those
// in the classes, so there is a release if and only if the whole table, as one class, meets the
// bounds.
func checkTable(in *anonymize.Input, b bounds) error {
	if len(in.Sensitive) == 0 {
		return &anonymize.DataError{Reason: name + " needs a sensitive attribute, none is given"}
	}
	one := *in
	one.Sensitive = in.Sensitive[:1]
	if err := bucketization.CheckInput(name, &one); err != nil {
		return err
	}
	if err := bucketization.CheckSize(b.k, in); err != nil {
		return err
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
