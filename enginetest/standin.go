package enginetest

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// An Answer is what a stand-in says to a statement.
type Answer struct {
	// Columns are name and type each, without arguments of the type: "n bigint". Rows are as JSON has them.
	Columns []string
	Rows    [][]any
	// Updated is how many rows a statement wrote.
	Updated int64
	// Name, Type and Message are of an error, "" for none.
	Name, Type, Message string
	// Status is that of every answer over HTTP. Defaults to 200.
	Status int
	// Next is where the rest of the answer is, instead of at the stand-in.
	Next string
}

// A StandIn speaks as a Trino coordinator does, and notes what is asked. It has no data.
type StandIn struct {
	*httptest.Server

	mu         sync.Mutex
	answer     func(statement string) Answer
	statements []string
	headers    []http.Header
	cancelled  int
}

// NewStandIn begins to listen: who calls it calls Close.
func NewStandIn(answer func(statement string) Answer) *StandIn {
	s := newStandIn(answer)
	s.Server = httptest.NewServer(s)
	return s
}

// NewTLSStandIn is NewStandIn with a certificate of its own (httptest).
func NewTLSStandIn(answer func(statement string) Answer) *StandIn {
	s := newStandIn(answer)
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that do not trust the certificate
	s.StartTLS()
	return s
}

func newStandIn(answer func(string) Answer) *StandIn { return &StandIn{answer: answer} }

// Address is host:port.
func (s *StandIn) Address() string { return s.Listener.Addr().String() }

// Statements are those that came, in their order.
func (s *StandIn) Statements() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.statements)
}

// Headers are those of all requests.
func (s *StandIn) Headers() []http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.headers)
}

// Cancelled is how many statements were.
func (s *StandIn) Cancelled() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cancelled
}

// ServeHTTP implements http.Handler: a statement is taken, and then its answer is fetched.
func (s *StandIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body) // what is missing is no statement of a test's
	s.mu.Lock()
	defer s.mu.Unlock()
	s.headers = append(s.headers, r.Header.Clone())
	answer := map[string]any{"id": "1", "infoUri": s.URL, "stats": map[string]any{"state": "RUNNING"}}
	switch r.Method {
	case http.MethodDelete:
		s.cancelled++
		w.WriteHeader(http.StatusNoContent)
		return
	case http.MethodPost:
		s.statements = append(s.statements, string(text))
		said := s.answer(string(text))
		answer["nextUri"] = fmt.Sprintf("%s/v1/statement/executing/%d", s.URL, len(s.statements)-1)
		if said.Next != "" {
			answer["nextUri"] = said.Next
		}
		if said.Status != 0 {
			w.WriteHeader(said.Status)
			return
		}
	default:
		var number int
		if _, err := fmt.Sscanf(r.URL.Path, "/v1/statement/executing/%d", &number); err != nil || number >= len(s.statements) {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		s.answer(s.statements[number]).fill(answer)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the client may have left
}

// fill writes the answer to a statement.
func (a Answer) fill(answer map[string]any) {
	answer["updateCount"] = a.Updated
	if a.Name != "" {
		answer["error"] = map[string]any{"message": a.Message, "errorName": a.Name, "errorType": a.Type, "errorCode": 1}
		return
	}
	columns := make([]any, len(a.Columns))
	for i, c := range a.Columns {
		name, typ, _ := strings.Cut(c, " ")
		columns[i] = map[string]any{"name": name, "type": typ, "typeSignature": map[string]any{"rawType": typ, "arguments": []any{}}}
	}
	if len(columns) > 0 {
		answer["columns"], answer["data"] = columns, a.Rows
	}
}
