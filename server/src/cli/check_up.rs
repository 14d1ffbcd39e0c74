//! `touchstone backup` and `touchstone doctor`.

use super::{print, print_json, say};
use serde_json::json;
use service::Service;
use std::path::Path;

pub(super) async fn backup(service: &Service, to: &Path) -> anyhow::Result<u8> {
    service.store().backup(to).await?;
    say(&format!("The database was copied to {}.", to.display()));
    Ok(0)
}

/// Exit 0 where the file is sound, 3 where it is not.
pub(super) async fn doctor(service: &Service, json: bool) -> anyhow::Result<u8> {
    let health = service.store().check().await?;
    let mut problems = health.integrity.clone();
    if health.orphans > 0 {
        problems.push(format!("{} rows name what is not there", health.orphans));
    }
    if health.migration != health.newest_migration {
        problems.push(format!("schema {} where {} is expected", health.migration, health.newest_migration));
    }
    let sound = problems.is_empty();
    if json {
        let rows: serde_json::Map<String, serde_json::Value> =
            health.rows.iter().map(|(table, count)| ((*table).to_owned(), (*count).into())).collect();
        print_json(&json!({
            "sound": sound, "problems": problems, "journal_mode": health.journal_mode,
            "migration": health.migration, "rows": rows,
        }))?;
    } else {
        print(if sound { "sound" } else { "NOT SOUND" })?;
        for problem in &problems {
            print(&format!("  {problem}"))?;
        }
        print(&format!("journal mode {}, schema {}", health.journal_mode, health.migration))?;
        for (table, count) in &health.rows {
            print(&format!("{count:>10}  {table}"))?;
        }
    }
    Ok(if sound { 0 } else { super::BROKEN })
}
