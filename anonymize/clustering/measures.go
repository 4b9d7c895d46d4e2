package clustering

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Measures are those of Yan et al. 2021, Section 6. Beside each sum over groups, which falls
// with the number of groups, there is a mean over records, which does not.
type Measures struct {
	Groups    int
	TotalPr   float64 // Eq. 15: the sum of Pr_SA over groups
	MeanPr    float64 // Pr_SA of a record's group, averaged over records
	AverageIL float64 // Eq. 17: the sum of the groups' mean distances to the centroid, by the records
	MeanIL    float64 // the distance of a record to the centroid of its group, averaged over records

	// Frequency is the greatest share of a sensitive value in a group. Only link-free groups
	// bound it, by 1/K.
	Frequency anonymize.Ratio
	Frequent  uint32 // that value
	LinkFree  bool   // promised
}

// Measure measures groups. O(n q).
func Measure(s *Space, k *Catalogue, value []uint32, groups *bucketization.Partition) Measures {
	m := Measures{Groups: groups.Groups(), Frequency: anonymize.NewRatio(0, 1)}
	n := float64(len(groups.Member))
	var values []uint32
	count := make(map[uint32]uint64)
	for g := range m.Groups {
		members := groups.Records(g)
		clear(count)
		values = values[:0]
		for _, r := range members {
			values = append(values, value[r])
			count[value[r]]++
		}
		pr, loss := k.Probability(values), s.loss(members)
		m.TotalPr += pr
		m.MeanPr += pr * float64(len(members)) / n
		m.AverageIL += loss / n
		m.MeanIL += loss * float64(len(members)) / n
		for _, v := range values {
			if share := anonymize.NewRatio(count[v], uint64(len(members))); share.Cmp(m.Frequency) > 0 {
				m.Frequency, m.Frequent = share, v
			}
		}
	}
	return m
}

// loss is Eq. (16), IL(G): the mean distance of a group's records to its
// centroid.
func (s *Space) loss(members []uint32) float64 {
	centroid, sum := s.Centroid(members), 0.0
	for _, r := range members {
		sum += s.Distance(s.Coordinates(r), centroid)
	}
	return sum / float64(len(members))
}

// Facts describes the measures to the owner.
func (m *Measures) Facts(k *Catalogue, in *anonymize.Input) []anonymize.Fact {
	sensitive := in.Sensitive[0]
	loss := anonymize.Fact{Name: "information loss (Average_IL)", Value: fmt.Sprintf("%.6f, %.4f of a record on average", m.AverageIL, m.MeanIL)}
	// If all records have one value, nothing is hidden or linked; if stand-ins replace values, their links are unknown.
	if len(sensitive.Dictionary) < 2 || len(in.NotSensitive) > 0 {
		return []anonymize.Fact{loss}
	}
	source := k.Source
	if source == "" {
		source = "none: only equal values are linked"
	}
	bound := "nothing bounds it, l-diversity is not promised"
	if m.LinkFree {
		bound = "the promise of l bounds it"
	}
	return []anonymize.Fact{
		{Name: "synonym catalogue", Value: source},
		{
			Name:  "synonymous linkage (Total_Pr_SA)",
			Value: fmt.Sprintf("%.4f over %d groups, %.4f of a record's group on average", m.TotalPr, m.Groups, m.MeanPr),
		},
		loss,
		{Name: "greatest frequency", Value: fmt.Sprintf("%s = %s is %s of a group; %s",
			sensitive.Name, sensitive.Dictionary[m.Frequent], m.Frequency, bound)},
	}
}
