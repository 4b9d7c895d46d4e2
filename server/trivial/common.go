package trivial

// common are the most frequent passwords in lists of stolen ones, and those of examples and installations; in lower
// case, the most common first.
var common = []string{
	"123456", "password", "12345678", "123456789", "12345", "qwerty", "secret", "root", "admin", "mysql",
	"1234567890", "1234567", "password1", "abc123", "111111", "123123", "changeme", "letmein", "test", "demo",
	"1234", "qwerty123", "000000", "iloveyou", "1q2w3e4r", "admin123", "password123", "welcome", "monkey", "dragon",
	"passw0rd", "p@ssw0rd", "root123", "toor", "pass", "123", "1", "x", "a", "guest",
	"user", "default", "master", "secret123", "qwertyuiop", "1qaz2wsx", "welcome1", "anonsql", "analyst", "database",
	"testtest", "test1234", "test123", "mysql123", "administrator", "654321", "666666", "987654321", "superman", "sunshine",
	"princess", "football", "baseball", "shadow", "michael", "jennifer", "charlie", "computer", "internet", "trustno1",
	"starwars", "whatever", "qazwsx", "zxcvbnm", "asdfghjkl", "asdfgh", "asdf1234", "q1w2e3r4", "1q2w3e4r5t", "zaq12wsx",
	"11111111", "88888888", "00000000", "12341234", "11223344", "12344321", "87654321", "123321123", "147258369", "123456789a",
	"a1b2c3d4", "abcd1234", "abcdefgh", "abc12345", "aa123456", "qwer1234", "passwort", "kennwort", "motdepasse", "contrasena",
	"p@ssword", "pa$$word", "pa55word", "password!", "password12", "password1234", "password01", "passpass", "mypassword", "newpassword",
	"changeit", "changeme1", "changeme123", "letmein1", "letmein123", "welcome123", "hello123", "iloveyou1", "temp1234", "temporary",
	"adminadmin", "admin1234", "admin12345", "rootroot", "rootpassword", "root1234", "mysqlroot", "mysqlpassword", "dbpassword", "database1",
	"analyst1", "analyst123", "anonsql1", "anonsql123", "anonymize", "published", "research", "hospital", "sysadmin", "superuser",
	"supersecret", "topsecret", "secretpassword", "example", "example1", "examplepassword", "your_password", "yourpassword",
	"my-secret-pw", "correcthorsebatterystaple",
	"football1", "baseball1", "princess1", "superman1", "sunshine1", "michelle", "jonathan", "victoria", "elephant", "butterfly",
}
