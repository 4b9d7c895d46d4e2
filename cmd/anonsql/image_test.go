package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An instruction is a line of a Dockerfile.
type instruction struct{ verb, rest string }

// dockerfile reads packaging/Dockerfile, by stage.
func dockerfile(t *testing.T) (stages [][]instruction) {
	t.Helper()
	text, err := os.ReadFile("../../packaging/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case verb == "" || strings.HasPrefix(verb, "#"):
			continue
		case verb == "FROM":
			stages = append(stages, nil)
		case len(stages) == 0:
			t.Fatalf("%s comes before the first stage", line)
		}
		stages[len(stages)-1] = append(stages[len(stages)-1], instruction{verb, rest})
	}
	return stages
}

// one returns the only instruction of a stage with this verb.
func one(t *testing.T, stage []instruction, verb string) string {
	t.Helper()
	at := slices.IndexFunc(stage, func(i instruction) bool { return i.verb == verb })
	if at < 0 || slices.ContainsFunc(stage[at+1:], func(i instruction) bool { return i.verb == verb }) {
		t.Fatalf("a stage has not one %s: %v", verb, stage)
	}
	return stage[at].rest
}

// Without a container engine, the test reads the Dockerfile: it compiles with go.mod's Go, copies existing files, and has the account, volume and
// ports that its command uses.
func TestImageAgreesWithTheProgram(t *testing.T) {
	stages := dockerfile(t)
	if len(stages) != 2 {
		t.Fatalf("%d stages, want one that builds and one that runs", len(stages))
	}
	build, run := stages[0], stages[1]
	module, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(module); !strings.HasPrefix(one(t, build, "FROM"), "golang:"+string(version[1])+"-") || !strings.HasSuffix(one(t, build, "FROM"), " AS build") {
		t.Errorf("FROM %s, go.mod says Go %s", one(t, build, "FROM"), version[1])
	}
	for _, i := range build {
		if fields := strings.Fields(i.rest); i.verb == "COPY" {
			for _, source := range fields[:len(fields)-1] {
				if !exists(filepath.Join("../..", source)) {
					t.Errorf("COPY %s: there is no %s", i.rest, source)
				}
			}
		}
	}
	copied := strings.Fields(one(t, run, "COPY"))
	compiles := slices.ContainsFunc(build, func(i instruction) bool {
		return i.verb == "RUN" && strings.Contains(i.rest, "go build") && strings.Contains(i.rest, " -o "+copied[1]+" ./cmd/anonsql")
	})
	if copied[0] != "--from=build" || !compiles {
		t.Errorf("COPY %s is not what the first stage builds", strings.Join(copied, " "))
	}
	imageCommand(t, run, filepath.Base(copied[2]))
}

// imageCommand checks the command of the second stage.
func imageCommand(t *testing.T, run []instruction, program string) {
	t.Helper()
	var entry, command []string
	if json.Unmarshal([]byte(one(t, run, "ENTRYPOINT")), &entry) != nil || json.Unmarshal([]byte(one(t, run, "CMD")), &command) != nil {
		t.Fatal("ENTRYPOINT and CMD are not lists")
	}
	serve := newServe()
	if err := serve.ParseFlags(command[1:]); err != nil || !slices.Equal(entry, []string{program}) || command[0] != serve.Name() {
		t.Fatalf("%v %v: %v", entry, command, err)
	}
	value := func(name string) string { return serve.Flags().Lookup(name).Value.String() }
	volume, account := one(t, run, "VOLUME"), one(t, run, "USER")
	if made := one(t, run, "RUN"); value("data-dir") != volume || !strings.Contains(made, "--home-dir "+volume+" ") || !strings.HasSuffix(made, "&& install -d -m 0700 -o "+account+" -g "+account+" "+volume) ||
		!regexp.MustCompile(`^useradd .* `+regexp.QuoteMeta(account)+` &&`).MatchString(made) {
		t.Errorf("the account %s, the volume %s and --data-dir %s do not belong together: RUN %s", account, volume, value("data-dir"), made)
	}
	var asks []string
	if _, check, _ := strings.Cut(one(t, run, "HEALTHCHECK"), " CMD "); json.Unmarshal([]byte(check), &asks) != nil || !slices.Equal(asks, []string{program, newHealth().Name()}) {
		t.Errorf("HEALTHCHECK runs %s, want %s %s", check, program, newHealth().Name())
	}
	if _, asked, _ := net.SplitHostPort(newHealth().Flags().Lookup("metrics").DefValue); !strings.HasSuffix(value("metrics-listen"), ":"+asked) {
		t.Errorf("the health check asks port %s, the command listens on %s", asked, value("metrics-listen"))
	}
	var ports []string
	for _, flag := range []string{"listen", "metrics-listen"} {
		host, port, err := net.SplitHostPort(value(flag))
		if err != nil || host != "0.0.0.0" {
			t.Errorf("--%s %s is not seen outside the container", flag, value(flag))
		}
		ports = append(ports, port)
	}
	if exposed := strings.Fields(one(t, run, "EXPOSE")); !slices.Equal(exposed, ports) {
		t.Errorf("EXPOSE %v, the command listens on %v", exposed, ports)
	}
}
