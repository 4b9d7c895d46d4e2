package demo

import _ "github.com/anonsql/anonsql/server/servertest" // the test's binary is that of its server's workers
