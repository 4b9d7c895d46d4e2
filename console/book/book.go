// Package book stores the saved questions of the console's accounts.
//
//  1. An account reads only its own questions. Each account has one file, named after it, which no other account of the machine can read.
//  2. A write replaces a file completely or not at all. Accounts, questions and their lengths are bounded.
//  3. Questions are deleted with their account: a later account of the same name does not get them.
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

// A Book stores saved questions in one file per account, in a directory that only the server
// can read. It is nil without a directory.
type Book struct {
	directory string
	// exists reports whether the server has an account; nil for always.
	exists func(user, host string) bool
	mu     sync.Mutex
}

// New returns the book in a directory; exists may be nil.
func New(directory string, exists func(user, host string) bool) *Book {
	return &Book{directory: directory, exists: exists}
}

// Bounds of saved questions.
const (
	maxSaved           = 50 // per account
	maxBooks           = 1000
	maxNameLength      = 80 // in characters
	maxStatementLength = 20_000
)

// An accountPage has one account's questions.
type accountPage struct {
	Account   string     `json:"account"`
	Questions []Question `json:"questions"` // sorted by name
}

// A Question is a named statement.
type Question struct {
	Name      string `json:"name"`
	Statement string `json:"statement"`
}

// file returns an account's file. Its name is a hash, because names of accounts may have any characters.
func (b *Book) file(account string) string {
	sum := sha256.Sum256([]byte(account))
	return filepath.Join(b.directory, hex.EncodeToString(sum[:])+".json")
}

// Questions returns an account's questions, sorted by name.
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

// Save saves a question and replaces one with the same name.
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

// Delete deletes a question. Deleting a missing one is no error.
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

// write replaces an account's file atomically, or removes it if there are no questions.
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
		err = errors.Join(err, f.Sync(), f.Close()) // a power cut must not truncate it
	}
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		return fmt.Errorf("the question cannot be saved: %w", err)
	}
	return nil
}

// room creates the directory and bounds the number of its files.
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

// Forget deletes the questions of accounts that the server no longer has: a later account of the same name must not read them.
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

// hasQuestions takes an account in the server's notation, user@host; a host has no @.
func (b *Book) hasQuestions(account string) bool {
	at := strings.LastIndex(account, "@")
	return at >= 0 && b.exists(account[:at], account[at+1:])
}
