// The crate mysql: query_* by texts, exec_* by statements prepared on the server.
mod lines;
use lines::*;
use mysql::{params::Params, prelude::*, Conn, Error, OptsBuilder, Row, TxOpts, Value};

fn cell(column: &str, value: &Value) -> String {
    match value {
        Value::NULL => "NULL".into(),
        Value::Bytes(b) if column == "bytes" => hexadecimal(b),
        Value::Bytes(b) => {
            let text = String::from_utf8(b.clone()).expect("a text");
            match column {
                "ratio" | "n" | "mean" | "low" | "high" => format!("{:.4}", text.parse::<f64>().expect("a double")),
                "fine" => shorter(&text),
                _ => text,
            }
        }
        Value::Int(n) => n.to_string(),
        Value::UInt(n) => n.to_string(),
        Value::Float(x) => format!("{x:.4}"),
        Value::Double(x) => format!("{x:.4}"),
        Value::Date(y, m, d, ..) if column == "day" => format!("{y:04}-{m:02}-{d:02}"),
        Value::Date(y, m, d, h, i, s, us) => shorter(&format!("{y:04}-{m:02}-{d:02} {h:02}:{i:02}:{s:02}.{us:06}")),
        Value::Time(..) => format!("{value:?}"),
    }
}

fn columns(section: &str, rows: &[Row]) {
    for (i, name) in COLUMNS.iter().enumerate() {
        line(&format!("{section} {name}"), &rows.iter().map(|row| cell(name, &row[i])).collect::<Vec<_>>());
    }
}

fn count(c: &mut Conn) -> String {
    c.query_first::<i64, _>("SELECT COUNT(*) FROM changes").unwrap().unwrap().to_string()
}

fn main() {
    let options = OptsBuilder::new()
        .ip_or_hostname(Some(environment("CLIENT_HOST")))
        .tcp_port(environment("CLIENT_PORT").parse().unwrap())
        .user(Some(environment("CLIENT_USER")))
        .pass(Some(environment("CLIENT_PASSWORD")))
        .db_name(Some(environment("CLIENT_DATABASE")));
    let mut c = Conn::new(options).unwrap();
    columns("values", &c.query::<Row, _>(THINGS).unwrap());
    columns("binary", &c.exec::<Row, _, _>(THINGS, ()).unwrap());
    for (name, condition, argument) in [
        ("decimal", "price > ?", Value::from("12.49")),
        ("text", "name = ?", Value::from("Zoë 東京 😀")),
        ("quoted", "note = ?", Value::from("it's \"quoted\" \\ and 100%")),
        ("bytes", "bytes = ?", Value::from(BYTES)),
        ("day", "day = ?", Value::Date(2024, 2, 29, 0, 0, 0, 0)),
        ("moment", "moment < ?", Value::Date(1970, 1, 1, 0, 0, 0, 0)),
        ("double", "ratio = ?", Value::from(0.1)),
        ("big", "big = ?", Value::from(i64::MAX)),
        ("null", "day <=> ?", Value::NULL),
    ] {
        let found: Vec<i64> = c.exec(format!("SELECT id FROM things WHERE {condition} ORDER BY id"), Params::Positional(vec![argument])).unwrap();
        line(&format!("prepared {name}"), &found.iter().map(i64::to_string).collect::<Vec<_>>());
    }
    line("prepared estimate", &[format!("{:.4}", c.exec_first::<f64, _, _>(HIV, (60, "HIV")).unwrap().unwrap())]);
    for row in c.query::<Row, _>(ESTIMATE).unwrap() {
        let figures: Vec<String> = ["n", "mean", "low", "high"].iter().enumerate().map(|(i, name)| cell(name, &row[i + 1])).collect();
        line(&format!("estimate {}", cell("", &row[0])), &figures);
    }
    for row in c.query::<Row, _>(EXACT).unwrap() {
        line(&format!("exact {}", cell("", &row[0])), &[cell("", &row[1]), cell("", &row[2])]);
    }
    c.query::<Row, _>(ESTIMATE).unwrap();
    for (level, number, _) in c.query::<(String, u16, String), _>("SHOW WARNINGS").unwrap() {
        line("warnings", &[level.to_lowercase(), number.to_string()]);
    }

    let mut t = c.start_transaction(TxOpts::default()).unwrap();
    t.query_drop("INSERT INTO changes VALUES (1, 'undone')").unwrap();
    t.rollback().unwrap();
    line("changes rolled back", &[count(&mut c)]);
    let mut t = c.start_transaction(TxOpts::default()).unwrap();
    t.exec_batch("INSERT INTO changes VALUES (?, ?)", [(1, Some("one")), (2, Some("two")), (3, None)]).unwrap();
    t.commit().unwrap();
    line("changes committed", &[count(&mut c)]);
    c.query_drop("UPDATE changes SET text = 'both' WHERE id < 3").unwrap();
    line("changes affected", &[c.affected_rows().to_string()]);
    let mut t = c.start_transaction(TxOpts::default()).unwrap();
    t.query_drop("INSERT INTO things (name) VALUES ('fifth')").unwrap();
    line("changes last id", &[t.last_insert_id().unwrap().to_string()]);
    t.rollback().unwrap();
    for (name, statement) in REFUSED {
        match c.query::<Row, _>(statement) {
            Err(Error::MySqlError(e)) => {
                line(&format!("error {name}"), &[e.code.to_string()]);
                line(&format!("state {name}"), &[e.state]);
            }
            other => line(&format!("error {name}"), &[format!("{other:?}")]),
        }
    }
    let called: Row = c.query_first("CALL cheaper(12)").unwrap().unwrap();
    line("called", &[cell("", &called[0]), cell("", &called[1])]);
    let (mut rows, mut total, mut length) = (0, 0, 0);
    for row in c.query_iter("SELECT n, text FROM many ORDER BY n").unwrap() {
        let (n, text): (i64, String) = mysql::from_row(row.unwrap());
        rows += 1;
        total += n;
        length += text.len();
    }
    line("large", &[rows.to_string(), total.to_string(), length.to_string()]);
}
