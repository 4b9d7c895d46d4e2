package experiments

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/experiments/evaluation"
	"github.com/anonsql/anonsql/experiments/imputation"
	"github.com/anonsql/anonsql/experiments/peers"
)

// All lists the experiments, in the order of the report.
func All() []evaluation.Experiment {
	return []evaluation.Experiment{
		SLPPA(),
		ARP(),
		CrossBucket(),
		DRASL(),
		CDT(),
		imputation.Experiment(),
		peers.Experiment(),
	}
}

// Names lists the experiments' names, in the order of the report.
func Names() []string {
	var list []string
	for _, e := range All() {
		list = append(list, e.Name)
	}
	return list
}

// ByName finds an experiment.
func ByName(name string) (evaluation.Experiment, error) {
	all := All()
	i := slices.IndexFunc(all, func(e evaluation.Experiment) bool { return e.Name == name })
	if i < 0 {
		return evaluation.Experiment{}, fmt.Errorf("there is no experiment %q", name)
	}
	return all[i], nil
}
