// Package book keeps the questions that accounts of the console have saved.
//
//  1. An account reads its own questions only: a file an account, by its whole name, which no other account of the machine reads.
//  2. A file is whole or as it was. Accounts, questions and their lengths are bounded.
//  3. Questions go with their account: who is given its name later has none of them.
package book

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Book keeps the questions that accounts have saved: a file an account in a directory of the server's, for nobody else to read. It is
// nil where there is no directory.
type Book struct {
	directory string
	// exists says whether the server has an account; nil for always.
	exists func(user, host string) bool
	mu     sync.Mutex
}

// New is the book in a directory; exists may be nil.
func New(directory string, exists func(user, host string) bool) *Book {
	return &Book{directory: directory, exists: exists}
}

// Bounds of what is saved.
const (
	maxSaved           = 50 // of an account
	maxBooks           = 1000
	maxNameLength      = 80 // characters
	maxStatementLength = 20_000
)

// An accountPage is one account's.
type accountPage struct {
	Account   string     `json:"account"`
	Questions []Question `json:"questions"` // by name
}

// A Question is a statement under a name.
type Question struct {
	Name      string `json:"name"`
	Statement string `json:"statement"`
}

// file is that of an account. Names of accounts may have any characters.
func (b *Book) file(account string) string {
	sum := sha256.Sum256([]byte(account))
	return filepath.Join(b.directory, hex.EncodeToString(sum[:])+".json")
}

// Questions are those of an account, by name.
func (b *Book) Questions(account string) ([]Question, error) {
	if b == nil {
		return nil, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.read(account)
}

func (b *Book) read(account string) ([]Question, error) {
	text, err := os.ReadFile(b.file(account))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var page accountPage
	if err == nil {
		err = json.Unmarshal(text, &page)
	}
	if err == nil && page.Account != account {
		err = errors.New("its file is another account's")
	}
	if err != nil {
		return nil, fmt.Errorf("the saved questions cannot be read: %w", err)
	}
	return page.Questions, nil
}

// Save keeps a question, in the place of one of the same name.
func (b *Book) Save(account string, q Question) error {
	q.Name = strings.TrimSpace(q.Name)
	switch {
	case b == nil:
		return errors.New("this console keeps no questions")
	case q.Name == "" || utf8.RuneCountInString(q.Name) > maxNameLength:
		return fmt.Errorf("the name of a question must have 1 to %d characters", maxNameLength)
	case strings.TrimSpace(q.Statement) == "" || len(q.Statement) > maxStatementLength:
		return fmt.Errorf("a saved question must have 1 to %d bytes", maxStatementLength)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	questions, err := b.read(account)
	if err != nil {
		return err
	}
	at, found := slices.BinarySearchFunc(questions, q, byName)
	if found {
		questions[at] = q
	} else if questions = slices.Insert(questions, at, q); len(questions) > maxSaved {
		return fmt.Errorf("%d questions are saved, which is the most: delete one first", maxSaved)
	}
	return b.write(account, questions)
}

func byName(a, b Question) int { return strings.Compare(a.Name, b.Name) }

// Delete forgets a question; one that is not there is gone, too.
func (b *Book) Delete(account, name string) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	questions, err := b.read(account)
	if err != nil {
		return err
	}
	return b.write(account, slices.DeleteFunc(questions, func(q Question) bool { return q.Name == name }))
}

// write leaves a whole file, of questions; none where there are none.
func (b *Book) write(account string, questions []Question) error {
	file := b.file(account)
	if len(questions) == 0 {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := b.room(file); err != nil {
		return err
	}
	text, err := json.MarshalIndent(accountPage{account, questions}, "", " ")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Sync(), f.Close()) // a power cut does not shorten it
	}
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		return fmt.Errorf("the question cannot be saved: %w", err)
	}
	return nil
}

// room makes the directory, and bounds the number of files in it.
func (b *Book) room(file string) error {
	if err := os.MkdirAll(b.directory, 0o700); err != nil {
		return fmt.Errorf("the question cannot be saved: %w", err)
	}
	files, err := os.ReadDir(b.directory)
	if err != nil {
		return fmt.Errorf("the question cannot be saved: %w", err)
	}
	if _, err := os.Stat(file); len(files) >= maxBooks && err != nil {
		return fmt.Errorf("%d accounts have saved questions, which is the most", maxBooks)
	}
	return nil
}

// Forget drops the questions of accounts that the server does not have any more: who is given the same name later must not read them.
func (b *Book) Forget() error {
	if b == nil || b.exists == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	files, err := filepath.Glob(filepath.Join(b.directory, "*.json"))
	for _, file := range files {
		var page accountPage
		text, failed := os.ReadFile(file)
		if failed == nil {
			failed = json.Unmarshal(text, &page)
		}
		if failed == nil && !b.hasQuestions(page.Account) {
			failed = os.Remove(file)
		}
		err = errors.Join(err, failed)
	}
	return err
}

// hasQuestions takes an account as the server names it, user@host; a host has no @.
func (b *Book) hasQuestions(account string) bool {
	at := strings.LastIndex(account, "@")
	return at >= 0 && b.exists(account[:at], account[at+1:])
}
