package demo

import _ "github.com/anonsql/anonsql/server/servertest" // the test's binary also runs its server's workers
