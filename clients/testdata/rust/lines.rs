// What both clients in Rust print: lines of one form.
pub const COLUMNS: [&str; 14] = ["id", "small", "big", "huge", "price", "exact", "ratio", "flag", "day", "moment", "fine", "name", "note", "bytes"];
pub const THINGS: &str = "SELECT id, small, big, huge, price, exact, ratio, flag, day, moment, fine, name, note, bytes FROM things ORDER BY id";
pub const ESTIMATE: &str = "SELECT disease, COUNT(*) AS n, AVG(age) AS mean, ANON_INTERVAL_LOW(COUNT(*)) AS low, ANON_INTERVAL_HIGH(COUNT(*)) AS high \
    FROM published.people WHERE age >= 60 AND disease IN ('Asthma', 'Cancer', 'HIV') GROUP BY disease ORDER BY disease";
pub const EXACT: &str = "SELECT sex, COUNT(*) AS n, SUM(age) AS years FROM published.people GROUP BY sex ORDER BY sex";
pub const HIV: &str = "SELECT COUNT(*) FROM published.people WHERE age >= ? AND disease = ?";
pub const REFUSED: [(&str, &str); 5] = [
    ("table", "SELECT * FROM nowhere"),
    ("syntax", "SELEC 1"),
    ("duplicate", "INSERT INTO things (id, name) VALUES (1, 'again')"),
    ("raw", "SELECT COUNT(*) FROM census.people"),
    ("estimate", "SELECT RAND(), COUNT(*) FROM published.people GROUP BY RAND()"),
];
pub const BYTES: &[u8] = b"\x00\xff'\"\\\n";

pub fn line<S: AsRef<str>>(key: &str, values: &[S]) {
    let values: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
    println!("{}: {}", key, values.join(" | "));
}

pub fn hexadecimal(bytes: &[u8]) -> String {
    format!("X'{}'", bytes.iter().map(|b| format!("{b:02X}")).collect::<String>())
}

/// shorter is a time without zeros behind its point.
pub fn shorter(text: &str) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text.to_string() }
}

pub fn environment(name: &str) -> String {
    std::env::var(name).expect(name)
}
