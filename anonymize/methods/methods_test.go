package methods

import (
	"errors"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

func TestByName(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All() {
		if seen[m.Name] || m.Name != strings.ToLower(m.Name) || m.Algorithm == nil {
			t.Errorf("method %q is there twice, not in lower case, or does nothing", m.Name)
		}
		seen[m.Name] = true
		if found, err := ByName(strings.ToUpper(m.Name)); err != nil || found.Name != m.Name {
			t.Errorf("%s: %v, %v", m.Name, found.Name, err)
		}
	}
	_, err := ByName("alchemy")
	if !errors.As(err, new(*anonymize.ParameterError)) || !strings.HasPrefix(err.Error(), "method is 'alchemy', must be one of slppa") {
		t.Error(err)
	}
}
