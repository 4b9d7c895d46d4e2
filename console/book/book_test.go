package book

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An account's questions are in a private file. They are replaced by name, bounded, deleted, and removed with the account.
func TestSavedQuestions(t *testing.T) {
	gone := map[string]bool{}
	b := &Book{directory: filepath.Join(t.TempDir(), "console"), exists: func(user, host string) bool { return !gone[user+"@"+host] }}
	names := func(account string) string {
		t.Helper()
		questions, err := b.Questions(account)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(questions)
	}
	for _, q := range []Question{{"b", "SELECT 2"}, {" a ", "SELECT 1"}, {"b", "SELECT 3"}} {
		if err := b.Save("bi@%", q); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Save("../bi@10.%", Question{"mine", "SELECT 4"}); err != nil {
		t.Fatal(err)
	}
	if got := names("bi@%"); got != "[{a SELECT 1} {b SELECT 3}]" {
		t.Errorf("bi@%% has %s", got)
	}
	if got := names("bi@localhost"); got != "[]" {
		t.Errorf("another account of the same name has %s", got)
	}
	files, err := os.ReadDir(b.directory)
	if err != nil || len(files) != 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f.Name(), info.Mode(), err)
		}
	}
	gone["bi@%"] = true
	if err := b.Forget(); err != nil || names("bi@%") != "[]" || names("../bi@10.%") != "[{mine SELECT 4}]" {
		t.Errorf("after the account went: %s, %s, %v", names("bi@%"), names("../bi@10.%"), err)
	}
	if err := b.Delete("../bi@10.%", "mine"); err != nil || names("../bi@10.%") != "[]" {
		t.Errorf("a deleted question is there: %v", err)
	}
	if files, _ := os.ReadDir(b.directory); len(files) != 0 {
		t.Errorf("%d files are left", len(files))
	}
}

func TestSavedQuestionsAreBounded(t *testing.T) {
	b := &Book{directory: t.TempDir()}
	for i := range maxSaved {
		if err := b.Save("bi@%", Question{fmt.Sprint(i), "SELECT 1"}); err != nil {
			t.Fatal(err)
		}
	}
	for name, q := range map[string]Question{"most": {"one more", "SELECT 1"}, "1 to 80 characters": {strings.Repeat("ü", maxNameLength+1), "SELECT 1"},
		"1 to 80": {" ", "SELECT 1"}, "1 to 20000 bytes": {"long", strings.Repeat("x", maxStatementLength+1)}} {
		if err := b.Save("bi@%", q); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := b.Save("bi@%", Question{"0", "SELECT 2"}); err != nil {
		t.Errorf("a question that is there already: %v", err)
	}
	if err := os.WriteFile(b.file("other@%"), []byte(`{"account": "bi@%"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Questions("other@%"); err == nil {
		t.Error("a file of another account is read")
	}
	for i := range maxBooks {
		if err := os.WriteFile(filepath.Join(b.directory, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Save("late@%", Question{"a", "SELECT 1"}); err == nil || !strings.Contains(err.Error(), "1000 accounts") {
		t.Errorf("one account more: %v", err)
	}
}
