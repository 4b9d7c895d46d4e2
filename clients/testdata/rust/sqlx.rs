// sqlx, which prepares every statement that has a type for its rows.
mod lines;
use bigdecimal::BigDecimal;
use chrono::{NaiveDate, NaiveDateTime};
use futures_util::TryStreamExt;
use lines::*;
use sqlx::{mysql::{MySqlConnectOptions, MySqlConnection, MySqlDatabaseError, MySqlRow}, AssertSqlSafe, Connection, Row};

fn shown<T: ToString>(value: Option<T>) -> String {
    value.map_or("NULL".into(), |v| v.to_string())
}

fn cell(name: &str, row: &MySqlRow) -> String {
    match name {
        "huge" => shown(row.get::<Option<u64>, _>(name)),
        "small" => shown(row.get::<Option<i16>, _>(name)),
        "id" => shown(row.get::<Option<i32>, _>(name)),
        "big" => shown(row.get::<Option<i64>, _>(name)),
        "flag" => shown(row.get::<Option<bool>, _>(name).map(i32::from)),
        "price" | "exact" => shown(row.get::<Option<BigDecimal>, _>(name).map(|d| d.to_plain_string())),
        "ratio" => shown(row.get::<Option<f64>, _>(name).map(|x| format!("{x:.4}"))),
        "day" => shown(row.get::<Option<NaiveDate>, _>(name)),
        "moment" | "fine" => shown(row.get::<Option<NaiveDateTime>, _>(name).map(|t| shorter(&t.format("%Y-%m-%d %H:%M:%S%.6f").to_string()))),
        "bytes" => shown(row.get::<Option<Vec<u8>>, _>(name).map(|b| hexadecimal(&b))),
        _ => shown(row.get::<Option<String>, _>(name)),
    }
}

async fn count(c: &mut MySqlConnection) -> String {
    sqlx::query_scalar::<_, i64>("SELECT COUNT(*) FROM changes").fetch_one(c).await.unwrap().to_string()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let options = MySqlConnectOptions::new()
        .host(&environment("CLIENT_HOST"))
        .port(environment("CLIENT_PORT").parse().unwrap())
        .username(&environment("CLIENT_USER"))
        .password(&environment("CLIENT_PASSWORD"))
        .database(&environment("CLIENT_DATABASE"));
    let mut c = MySqlConnection::connect_with(&options).await.unwrap();
    let things = sqlx::query(THINGS).fetch_all(&mut c).await.unwrap();
    for name in COLUMNS {
        line(&format!("binary {name}"), &things.iter().map(|row| cell(name, row)).collect::<Vec<_>>());
    }
    macro_rules! found {
        ($name:literal, $condition:literal, $argument:expr) => {
            let ids: Vec<i32> = sqlx::query_scalar(concat!("SELECT id FROM things WHERE ", $condition, " ORDER BY id")).bind($argument).fetch_all(&mut c).await.unwrap();
            line(concat!("prepared ", $name), &ids.iter().map(i32::to_string).collect::<Vec<_>>());
        };
    }
    found!("decimal", "price > ?", "12.49".parse::<BigDecimal>().unwrap());
    found!("text", "name = ?", "Zoë 東京 😀");
    found!("quoted", "note = ?", "it's \"quoted\" \\ and 100%");
    found!("bytes", "bytes = ?", BYTES);
    found!("day", "day = ?", NaiveDate::from_ymd_opt(2024, 2, 29).unwrap());
    found!("moment", "moment < ?", NaiveDate::from_ymd_opt(1970, 1, 1).unwrap().and_hms_opt(0, 0, 0).unwrap());
    found!("double", "ratio = ?", 0.1);
    found!("big", "big = ?", i64::MAX);
    found!("null", "day <=> ?", None::<NaiveDate>);
    let hiv: f64 = sqlx::query_scalar(HIV).bind(60).bind("HIV").fetch_one(&mut c).await.unwrap();
    line("prepared estimate", &[format!("{hiv:.4}")]);
    for row in sqlx::query(ESTIMATE).fetch_all(&mut c).await.unwrap() {
        let figures: Vec<String> = (1..5).map(|i| format!("{:.4}", row.get::<f64, _>(i))).collect();
        line(&format!("estimate {}", row.get::<String, _>(0)), &figures);
    }
    for row in sqlx::query(EXACT).fetch_all(&mut c).await.unwrap() {
        line(&format!("exact {}", row.get::<String, _>(0)), &[row.get::<i64, _>(1).to_string(), row.get::<BigDecimal, _>(2).to_plain_string()]);
    }

    let mut t = c.begin().await.unwrap();
    sqlx::query("INSERT INTO changes VALUES (1, 'undone')").execute(&mut *t).await.unwrap();
    t.rollback().await.unwrap();
    line("changes rolled back", &[count(&mut c).await]);
    let mut t = c.begin().await.unwrap();
    for (id, text) in [(1, Some("one")), (2, Some("two")), (3, None)] {
        sqlx::query("INSERT INTO changes VALUES (?, ?)").bind(id).bind(text).execute(&mut *t).await.unwrap();
    }
    t.commit().await.unwrap();
    line("changes committed", &[count(&mut c).await]);
    let affected = sqlx::query("UPDATE changes SET text = 'both' WHERE id < 3").execute(&mut c).await.unwrap().rows_affected();
    line("changes affected", &[affected.to_string()]);
    let mut t = c.begin().await.unwrap();
    let last = sqlx::query("INSERT INTO things (name) VALUES ('fifth')").execute(&mut *t).await.unwrap().last_insert_id();
    line("changes last id", &[last.to_string()]);
    t.rollback().await.unwrap();
    for (name, statement) in REFUSED {
        match sqlx::query(AssertSqlSafe(statement)).fetch_all(&mut c).await {
            Err(sqlx::Error::Database(e)) => {
                let e = e.downcast_ref::<MySqlDatabaseError>();
                line(&format!("error {name}"), &[e.number().to_string()]);
                line(&format!("state {name}"), &[e.code().unwrap_or("none")]);
            }
            _ => line(&format!("error {name}"), &["none"]),
        }
    }
    let (mut rows, mut total, mut length) = (0, 0, 0);
    let mut many = sqlx::query_as::<_, (i32, String)>("SELECT n, text FROM many ORDER BY n").fetch(&mut c);
    while let Some((n, text)) = many.try_next().await.unwrap() {
        rows += 1;
        total += i64::from(n);
        length += text.len();
    }
    line("large", &[rows.to_string(), total.to_string(), length.to_string()]);
}
