package console

import (
	"net/http"
	"strings"

	"github.com/anonsql/anonsql/console/book"
)

// saveQuestion saves the statement of the page Ask under a name.
func (c *console) saveQuestion(w http.ResponseWriter, r *http.Request, s *session) {
	view := askView{Statement: r.PostForm.Get("statement"), Name: strings.TrimSpace(r.PostForm.Get("name"))}
	if err := c.book.Save(s.who, book.Question{Name: view.Name, Statement: view.Statement}); err != nil {
		view.Answer = &answer{Problem: &problem{Text: err.Error()}}
	} else {
		view.Said = "Saved: " + view.Name + "."
	}
	c.showAsk(w, r, s, view)
}

// deleteQuestion deletes a saved question but keeps the statement in the field.
func (c *console) deleteQuestion(w http.ResponseWriter, r *http.Request, s *session) {
	deleted := r.PostForm.Get("deleted")
	view := askView{Statement: r.PostForm.Get("statement"), Name: r.PostForm.Get("name"), Said: "Deleted: " + deleted + "."}
	if err := c.book.Delete(s.who, deleted); err != nil {
		view.Said, view.Answer = "", &answer{Problem: &problem{Text: err.Error()}}
	}
	c.showAsk(w, r, s, view)
}
